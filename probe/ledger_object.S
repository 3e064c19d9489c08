// The object of ledger.bpf.c, in the program's constants: a program needs no file beside it.

  .section .rodata
  .global serverlab_ledger
  .global serverlab_ledger_bytes
  .balign 8
serverlab_ledger_bytes:
  .quad end - serverlab_ledger
serverlab_ledger:
  .incbin LEDGER_OBJECT
end:

  .section .note.GNU-stack, "", @progbits
