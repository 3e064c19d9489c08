module serverlab/peers/go

go 1.21
