/**
 * The system calls that task code does not get, as a filter program of the kernel (seccomp, classic BPF): those that reach
 * other processes, mounts, namespaces, keys and the kernel itself, make sessions, and get memory that belongs to no process.
 */

/** Numbers of a call on x64 and on arm64. */
type Numbers = readonly [x64: number, arm64: number]

const EPERM = 1
const ENOSYS = 38
/** Flags of `clone` that make namespaces. */
const NEW_NAMESPACES = 0x7e02_0080

const REFUSED: Record<string, Numbers> = {
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  move_pages: [279, 239],
  shmget: [29, 194],
  msgget: [68, 186],
  mount: [165, 40],
  umount2: [166, 39],
  mount_setattr: [442, 442],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  pivot_root: [155, 41],
  chroot: [161, 51],
  unshare: [272, 97],
  setns: [308, 268],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  fanotify_init: [300, 262],
  quotactl: [179, 60],
  acct: [163, 89],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  syslog: [103, 116],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  // a session of its own would have the weight of others again
  setsid: [112, 157],
}

/** Calls that programs do without when the kernel does not know them. */
const UNKNOWN: Record<string, Numbers> = {
  memfd_create: [319, 279],
  memfd_secret: [447, 447],
  clone3: [435, 435],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
}

const CLONE: Numbers = [56, 220]

const ARCHITECTURES: Record<string, { index: 0 | 1; audit: number }> = {
  x64: { index: 0, audit: 0xc000_003e },
  arm64: { index: 1, audit: 0xc000_00b7 },
}

// Codes of classic BPF, and where `struct seccomp_data` has what is looked at.
const LOAD = 0x20
const JUMP_EQUAL = 0x15
const JUMP_AT_LEAST = 0x35
const JUMP_ANY_BIT = 0x45
const RETURN = 0x06
const AT_NUMBER = 0
const AT_ARCHITECTURE = 4
const AT_FIRST_ARGUMENT = 16
const ALLOW = 0x7fff_0000
const FAIL_WITH = 0x0005_0000
/** Calls of x32, the other interface of x64 kernels, are from here on. */
const X32 = 0x4000_0000

type Instruction = [code: number, ifTrue: number, ifFalse: number, value: number]

/** The filter for the processor of this machine; `undefined` for one whose calls are not known here. */
export function seccompFilter(architecture: string = process.arch): Buffer | undefined {
  const known = ARCHITECTURES[architecture]
  if (!known) return undefined
  const { index, audit } = known
  const fail = (error: number): Instruction => [RETURN, 0, 0, FAIL_WITH | error]
  const refuse = (calls: Record<string, Numbers>, error: number): Instruction[] =>
    Object.values(calls).flatMap((numbers) => [[JUMP_EQUAL, 0, 1, numbers[index]], fail(error)])
  const program: Instruction[] = [
    [LOAD, 0, 0, AT_ARCHITECTURE],
    [JUMP_EQUAL, 1, 0, audit],
    fail(EPERM),
    [LOAD, 0, 0, AT_NUMBER],
    [JUMP_AT_LEAST, 0, 1, X32],
    fail(ENOSYS),
    ...refuse(REFUSED, EPERM),
    ...refuse(UNKNOWN, ENOSYS),
    [JUMP_EQUAL, 0, 3, CLONE[index]],
    [LOAD, 0, 0, AT_FIRST_ARGUMENT],
    [JUMP_ANY_BIT, 0, 1, NEW_NAMESPACES],
    fail(EPERM),
    [RETURN, 0, 0, ALLOW],
  ]
  const bytes = Buffer.alloc(program.length * 8)
  program.forEach(([code, ifTrue, ifFalse, value], n) => {
    bytes.writeUInt16LE(code, n * 8)
    bytes.writeUInt8(ifTrue, n * 8 + 2)
    bytes.writeUInt8(ifFalse, n * 8 + 3)
    bytes.writeUInt32LE(value >>> 0, n * 8 + 4)
  })
  return bytes
}
