// The objects of the probe's parts in the kernel, in the program's constants: a program needs no
// file beside it.

  .macro object name, file
  .global \name
  .global \name\()_bytes
  .balign 8
\name\()_bytes:
  .quad \name\()_end - \name
\name:
  .incbin "\file"
\name\()_end:
  .endm

  .section .rodata
  object serverlab_ledger, LEDGER_OBJECT
  object serverlab_requests, REQUESTS_OBJECT

  .section .note.GNU-stack, "", @progbits
