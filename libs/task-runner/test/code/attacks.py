"""What hostile task code tries. An attack returns what it got, and raises or returns nothing when it got nothing."""
import contextlib
import ctypes
import os
import re
import resource
import socket
import subprocess
import sys
import time

# An attack that is not stopped in this time has got what it is after.
PATIENCE_S = 15


def pids():
    return [name for name in os.listdir('/proc') if name.isdigit()]


def text(path):
    with open(path, errors='replace') as file:
        return file.read()


def of_each(name):
    parts = []
    for pid in pids():
        try:
            parts.append(text(f'/proc/{pid}/{name}'))
        except OSError:
            pass
    return '\n'.join(parts)


def status(name):
    return re.search(rf'^{name}:\s*(\S+)', text('/proc/self/status'), re.M)[1]


def through_link(args):
    link = f'/tmp/{args["mark"]}'
    os.symlink(args['file'], link)
    try:
        return text(link)
    finally:
        os.unlink(link)


def write(path, args=None):
    with open(path, 'w') as file:
        file.write('changed')
    return 'got'


def write_and_remove(path):
    write(path)
    os.unlink(path)
    return 'got'


def opened(path, flags):
    os.close(os.open(path, flags))
    return 'got'


def connect(family, address):
    with socket.socket(family) as it:
        it.settimeout(3)
        it.connect(address)
    return 'got'


def datagram(args):
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as it:
        it.settimeout(0.5)
        it.sendto(b'x', ('127.0.0.1', args['udpPort']))
        it.recv(10)
    return 'got'


def trace(args):
    libc = ctypes.CDLL(None)
    if libc.ptrace(16, args['bystander'], None, None) != 0:
        return None
    os.waitpid(args['bystander'], 0x40000000)
    libc.ptrace(17, args['bystander'], None, None)
    return 'got'


def fill(path):
    try:
        with open(path, 'wb') as file:
            for _ in range(20):
                file.write(bytes(10_000_000))
                file.flush()
        return 'got'
    finally:
        os.unlink(path)


def double_fork(mark, keep_output):
    """A process whose parent is gone, of its own session where that may be had."""
    if os.fork() == 0:
        with contextlib.suppress(PermissionError):
            os.setsid()
        if os.fork() == 0:
            if not keep_output:
                null = os.open('/dev/null', os.O_RDWR)
                for descriptor in (1, 2, 3):
                    os.dup2(null, descriptor)
            os.execv(sys.executable, [sys.executable, '-c', 'import time; time.sleep(60)', mark])
        os._exit(0)
    os.wait()
    time.sleep(0.3)
    return 'left'


def many(mark):
    for _ in range(75):
        subprocess.Popen(['sh', '-c', 'sleep 61; exit', mark])
    time.sleep(PATIENCE_S)
    return 'got'


HOG = 'import sys, time; x = bytearray(int(sys.argv[1]) * 1000000); x[::4096] = b"x" * len(x[::4096]); time.sleep(60)'


def hogs(count, megabytes):
    children = [subprocess.Popen([sys.executable, '-c', HOG, str(megabytes)]) for _ in range(count)]
    time.sleep(PATIENCE_S)
    alive = all(child.poll() is None for child in children)
    for child in children:
        child.kill()
    return 'got' if alive else None


def leave_hog():
    subprocess.Popen([sys.executable, '-c', HOG, '400'])
    return 'left'


def raw(data):
    os.write(3, data)
    time.sleep(PATIENCE_S)
    return 'got'


def shared_segment():
    """Memory that belongs to no process."""
    libc = ctypes.CDLL(None)
    segment = libc.shmget(0, ctypes.c_size_t(4096), 0o1600)
    if segment < 0:
        return None
    libc.shmctl(segment, 0, None)
    return 'got'


def memory_file():
    """Memory of a file that is nowhere."""
    descriptor = os.memfd_create('x')
    os.close(descriptor)
    return 'got'


ATTACKS = {
    'environment of the runner': lambda args: of_each('environ'),
    'a file': lambda args: text(args['file']),
    'a file of another project': lambda args: text('../other/secret.txt'),
    'a file through the root of a process': lambda args: of_each('root' + args['file']),
    'a file through the folder of a process': lambda args: of_each('cwd/../other/secret.txt'),
    'a file through a link': through_link,
    'a file through a link in the bundle': lambda args: text('linked'),
    'the accounts of the machine': lambda args: text('/etc/passwd') and 'got',
    'a folder': lambda args: 'secret.txt' in os.listdir(args['folder']) and 'got',
    'overwrite a file': lambda args: write(args['victim']),
    'delete a file': lambda args: os.unlink(args['victim']) or 'got',
    'change its bundle': lambda args: write('data.txt'),
    'write to the system': lambda args: write_and_remove('/usr/local/lib/' + args['mark']),
    'write at the root': lambda args: write_and_remove('/' + args['mark']),
    'a setting of the kernel': lambda args: opened('/proc/sys/kernel/core_pattern', os.O_RDWR),
    'the control groups': lambda args: os.listdir('/sys/fs/cgroup') and 'got',
    'signal the runner': lambda args: os.kill(args['pid'], 0) or 'got',
    'signal another process': lambda args: os.kill(args['bystander'], 0) or 'got',
    'trace another process': trace,
    'other processes': lambda args: of_each('cmdline'),
    'memory of the runner': lambda args: opened(f'/proc/{args["pid"]}/mem', os.O_RDONLY),
    'descriptors of the runner': lambda args: os.listdir(f'/proc/{args["pid"]}/fd') and 'got',
    'a port of the machine': lambda args: connect(socket.AF_INET, ('127.0.0.1', args['port'])),
    'a datagram to the machine': datagram,
    'an abstract socket': lambda args: connect(socket.AF_UNIX, '\0' + args['abstract']),
    'a socket file': lambda args: connect(socket.AF_UNIX, args['socketFile']),
    'the network': lambda args: any(name != 'lo' for _, name in socket.if_nameindex()) and 'got',
    'the name of the machine': lambda args: socket.gethostname() == args['hostname'] and 'got',
    'the user of the runner': lambda args: os.getuid() == args['uid'] and 'got',
    'more rights by a program': lambda args: status('NoNewPrivs') == '0' and 'got',
    'capabilities': lambda args: int(status('CapEff'), 16) != 0 and 'got',
    'namespaces of its own': lambda args: ctypes.CDLL(None).unshare(0x10000000) == 0 and 'got',
    'a priority above others': lambda args: os.nice(-10) and 'got',
    'the weight of others': lambda args: open('/proc/self/autogroup', 'w').write('0') and 'got',
    'nothing': lambda args: f"{os.getpriority(os.PRIO_PROCESS, 0)} {text('/proc/self/autogroup').strip()}",
    'a session of its own': lambda args: subprocess.check_output(['setsid', '--wait', 'echo', 'got'], text=True).strip(),
    'memory without a process': lambda args: shared_segment(),
    'memory of a file that is nowhere': lambda args: memory_file(),
    'no limit on open files': lambda args: resource.setrlimit(resource.RLIMIT_NOFILE, (100_000, 100_000)) or 'got',
    'a daemon': lambda args: double_fork(args['mark'], False),
    'a daemon that holds the output': lambda args: double_fork(args['mark'], True),
    'many processes': lambda args: many(args['mark']),
    'memory in a child': lambda args: hogs(1, 400),
    'memory in many children': lambda args: hogs(8, 60),
    'memory between calls': lambda args: leave_hog(),
    'the disk': lambda args: fill('/tmp/' + args['mark']),
    'shared memory': lambda args: fill('/dev/shm/' + args['mark']),
    'garbage to the runner': lambda args: raw(bytes([0, 0, 0, 4, 255, 255, 255, 255])),
    'a message without end': lambda args: raw(bytes([255, 255, 255, 255])),
}


def run(inputs, args, context):
    found = ATTACKS[inputs['x']['attack']](inputs['x'])
    return found if isinstance(found, str) else None
