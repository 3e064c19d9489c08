module serverlab/contestants/go-net

go 1.21
