import { dlopen, ptr } from "bun:ffi";

/**
 * Each process on Windows with its parent's id, from the system itself: programs that list them are slow or missing. Windows
 * uses ids again and does not correct them in children, so a parent must be older than its child.
 */
export function windowsProcesses(): [pid: number, parent: number][] {
  const { symbols: kernel, close } = openKernel();
  const ages = new Map<number, bigint>();
  const startOf = (pid: number) => {
    const known = ages.get(pid) ?? processStart(kernel, pid);
    ages.set(pid, known);
    return known;
  };
  // A parent that is gone was a program of this ccc, or is not of interest.
  const own = startOf(process.pid);
  const all = listProcesses(kernel).filter(([pid, parent]) => startOf(pid) >= (startOf(parent) || own));
  close();
  return all;
}

function openKernel() {
  return dlopen("kernel32.dll", {
    CreateToolhelp32Snapshot: { args: ["u32", "u32"], returns: "ptr" },
    Process32FirstW: { args: ["ptr", "ptr"], returns: "i32" },
    Process32NextW: { args: ["ptr", "ptr"], returns: "i32" },
    OpenProcess: { args: ["u32", "i32", "u32"], returns: "ptr" },
    GetProcessTimes: { args: ["ptr", "ptr", "ptr", "ptr", "ptr"], returns: "i32" },
    CloseHandle: { args: ["ptr"], returns: "i32" },
  });
}

type Kernel = ReturnType<typeof openKernel>["symbols"];

function listProcesses(kernel: Kernel): [number, number][] {
  const found: [number, number][] = [];
  const snapshot = kernel.CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0);
  const entry = new DataView(new ArrayBuffer(ENTRY_SIZE));
  entry.setUint32(0, ENTRY_SIZE, true);
  const address = ptr(entry);
  for (let more = kernel.Process32FirstW(snapshot, address); more !== 0; ) {
    found.push([entry.getUint32(PID_AT, true), entry.getUint32(PARENT_AT, true)]);
    more = kernel.Process32NextW(snapshot, address);
  }
  kernel.CloseHandle(snapshot);
  return found;
}

/** When a process started, in Windows' own units; 0 if it is gone, or belongs to somebody else. */
function processStart(kernel: Kernel, pid: number): bigint {
  const handle = kernel.OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION, 0, pid);
  if (!handle) return 0n;
  const times = new BigUint64Array(4);
  const [created, exited, inKernel, inProgram] = [0, 8, 16, 24].map((offset) => ptr(times, offset));
  kernel.GetProcessTimes(handle, created ?? null, exited ?? null, inKernel ?? null, inProgram ?? null);
  kernel.CloseHandle(handle);
  return times[0] ?? 0n;
}

const TH32CS_SNAPPROCESS = 2;
const PROCESS_QUERY_LIMITED_INFORMATION = 0x1000;

/** The layout of PROCESSENTRY32W in 64-bit programs. */
const ENTRY_SIZE = 568;
const PID_AT = 8;
const PARENT_AT = 32;
