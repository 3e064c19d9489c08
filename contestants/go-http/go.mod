module serverlab/contestants/go-http

go 1.22
