/*
 * bcryptprimitives.dll, which Debian's Wine lacks. Bun, and so ccc.exe and claude.exe, needs one function of it: random
 * bytes.
 */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID buffer, ULONG length);

BOOL WINAPI ProcessPrng(PBYTE buffer, SIZE_T length)
{
    return SystemFunction036(buffer, (ULONG)length);
}
