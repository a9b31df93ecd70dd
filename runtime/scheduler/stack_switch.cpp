// SPDX-License-Identifier: Apache-2.0
// tessera_call_on_stack(entry, top): calls entry() with its frames below `top`. Saves callee-saved
// registers on the emulator's stack, because the kernel may have overrun those that it saved on its
// own. Frame information connects the kernel's frames to the caller's, so exceptions can pass.
#if defined(__x86_64__)
asm(R"(
    .text
    .globl tessera_call_on_stack, tessera_call_on_stack_end
    .hidden tessera_call_on_stack, tessera_call_on_stack_end
    .type tessera_call_on_stack, @function
tessera_call_on_stack:
    .cfi_startproc
    push %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    mov %rsp, %rbp
    .cfi_def_cfa_register %rbp
    push %rbx
    .cfi_offset %rbx, -24
    push %r12
    .cfi_offset %r12, -32
    push %r13
    .cfi_offset %r13, -40
    push %r14
    .cfi_offset %r14, -48
    push %r15
    .cfi_offset %r15, -56
    # rbp is callee-saved, so entry() leaves it: the frame is found again through it alone.
    mov %rsi, %rsp
    call *%rdi
    lea -40(%rbp), %rsp
    pop %r15
    pop %r14
    pop %r13
    pop %r12
    pop %rbx
    pop %rbp
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
tessera_call_on_stack_end:
    .size tessera_call_on_stack, .-tessera_call_on_stack
)");
#else
asm(R"(
    .text
    .globl tessera_call_on_stack, tessera_call_on_stack_end
    .hidden tessera_call_on_stack, tessera_call_on_stack_end
    .type tessera_call_on_stack, %function
tessera_call_on_stack:
    .cfi_startproc
    // 96 bytes: x19 to x30 of the procedure call standard, and sp aligned to 16.
    stp x29, x30, [sp, #-96]!
    .cfi_def_cfa_offset 96
    .cfi_offset x29, -96
    .cfi_offset x30, -88
    mov x29, sp
    .cfi_def_cfa_register x29
    stp x19, x20, [sp, #16]
    .cfi_offset x19, -80
    .cfi_offset x20, -72
    stp x21, x22, [sp, #32]
    .cfi_offset x21, -64
    .cfi_offset x22, -56
    stp x23, x24, [sp, #48]
    .cfi_offset x23, -48
    .cfi_offset x24, -40
    stp x25, x26, [sp, #64]
    .cfi_offset x25, -32
    .cfi_offset x26, -24
    stp x27, x28, [sp, #80]
    .cfi_offset x27, -16
    .cfi_offset x28, -8
    mov sp, x1
    blr x0
    mov sp, x29
    ldp x19, x20, [sp, #16]
    ldp x21, x22, [sp, #32]
    ldp x23, x24, [sp, #48]
    ldp x25, x26, [sp, #64]
    ldp x27, x28, [sp, #80]
    .cfi_def_cfa_register sp
    ldp x29, x30, [sp], #96
    .cfi_def_cfa_offset 0
    ret
    .cfi_endproc
tessera_call_on_stack_end:
    .size tessera_call_on_stack, .-tessera_call_on_stack
)");
#endif
