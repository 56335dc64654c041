/** What hostile task code tries. An attack returns what it got, and throws or returns nothing when it got nothing. */
import { execFileSync, spawn } from 'node:child_process'
import dgram from 'node:dgram'
import fs from 'node:fs'
import net from 'node:net'
import os from 'node:os'

/** An attack that is not stopped in this time has got what it is after. */
const PATIENCE_MS = 15_000

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const shell = (script) => execFileSync('sh', ['-c', script], { encoding: 'utf8', timeout: 5_000 })
const pids = () => fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))
const status = (name) =>
  new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(fs.readFileSync('/proc/self/status', 'utf8'))[1]

/** What `read` gives for each process, as far as it may. */
const ofEach = (read) =>
  pids()
    .map((pid) => {
      try {
        return read(pid)
      } catch {
        return ''
      }
    })
    .join('\n')

const connect = (...to) =>
  new Promise((resolve, reject) => {
    const socket = net.connect(...to, () => {
      socket.destroy()
      resolve('got')
    })
    socket.on('error', reject)
  })

const fill = (file) => {
  const block = Buffer.alloc(1e7)
  const open = fs.openSync(file, 'w')
  try {
    for (let n = 0; n < 20; n++) fs.writeSync(open, block)
    return 'got'
  } finally {
    fs.closeSync(open)
    fs.rmSync(file)
  }
}

/** A process that goes on without the one that started it. */
const daemon = (mark, stdio) => {
  const code = 'setTimeout(() => {}, 60_000)'
  spawn(process.execPath, ['-e', code, mark], { detached: true, stdio }).unref()
}

const hog = (megabytes) =>
  spawn(process.execPath, [
    '-e',
    `const all = []; for (let n = 0; n < ${megabytes}; n += 10) all.push(Buffer.alloc(1e7, 1)); setTimeout(() => {}, 60_000)`,
  ])

const ATTACKS = {
  'environment of the runner': () => ofEach((pid) => fs.readFileSync(`/proc/${pid}/environ`, 'utf8')),
  'a file': ({ file }) => fs.readFileSync(file, 'utf8'),
  'a file of another project': () => fs.readFileSync('../other/secret.txt', 'utf8'),
  'a file through the root of a process': ({ file }) =>
    ofEach((pid) => fs.readFileSync(`/proc/${pid}/root${file}`, 'utf8')),
  'a file through the folder of a process': () =>
    ofEach((pid) => fs.readFileSync(`/proc/${pid}/cwd/../other/secret.txt`, 'utf8')),
  'a file through a link': ({ file, mark }) => {
    const link = `/tmp/${mark}`
    fs.symlinkSync(file, link)
    try {
      return fs.readFileSync(link, 'utf8')
    } finally {
      fs.rmSync(link)
    }
  },
  'a file through a link in the bundle': () => fs.readFileSync('linked', 'utf8'),
  'the accounts of the machine': () => fs.readFileSync('/etc/passwd', 'utf8') && 'got',
  'a folder': ({ folder }) => fs.readdirSync(folder).includes('secret.txt') && 'got',
  'overwrite a file': ({ victim }) => fs.writeFileSync(victim, 'changed') ?? 'got',
  'delete a file': ({ victim }) => fs.rmSync(victim) ?? 'got',
  'change its bundle': () => fs.writeFileSync('data.txt', 'changed') ?? 'got',
  'write to the system': ({ mark }) => {
    fs.writeFileSync(`/usr/local/lib/${mark}`, '')
    fs.rmSync(`/usr/local/lib/${mark}`)
    return 'got'
  },
  'write at the root': ({ mark }) => {
    fs.writeFileSync(`/${mark}`, '')
    fs.rmSync(`/${mark}`)
    return 'got'
  },
  'a setting of the kernel': () => fs.closeSync(fs.openSync('/proc/sys/kernel/core_pattern', 'r+')) ?? 'got',
  'the control groups': () => fs.readdirSync('/sys/fs/cgroup').length > 0 && 'got',
  'signal the runner': ({ pid }) => process.kill(pid, 0) && 'got',
  'signal another process': ({ bystander }) => process.kill(bystander, 0) && 'got',
  'other processes': () => ofEach((pid) => fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8')),
  'memory of the runner': ({ pid }) => fs.closeSync(fs.openSync(`/proc/${pid}/mem`, 'r')) ?? 'got',
  'descriptors of the runner': ({ pid }) => fs.readdirSync(`/proc/${pid}/fd`).length > 0 && 'got',
  'a port of the machine': ({ port }) => connect(port, '127.0.0.1'),
  'a datagram to the machine': ({ udpPort }) =>
    new Promise((resolve, reject) => {
      const socket = dgram.createSocket('udp4')
      socket.on('error', reject)
      socket.on('message', () => resolve('got'))
      socket.send('x', udpPort, '127.0.0.1')
      setTimeout(() => resolve(null), 500)
    }),
  'an abstract socket': ({ abstract }) => connect(`\0${abstract}`),
  'a socket file': ({ socketFile }) => connect(socketFile),
  'the network': () =>
    Object.values(os.networkInterfaces())
      .flat()
      .some(({ internal }) => !internal) && 'got',
  'the name of the machine': ({ hostname }) => os.hostname() === hostname && 'got',
  'the user of the runner': ({ uid }) => process.getuid() === uid && 'got',
  'more rights by a program': () => status('NoNewPrivs') === '0' && 'got',
  capabilities: () => Number.parseInt(status('CapEff'), 16) !== 0 && 'got',
  'namespaces of its own': () => shell('unshare --user --map-root-user id -u').trim() === '0' && 'got',
  'a priority above others': () => os.setPriority(-10) ?? 'got',
  'the weight of others': () => fs.writeFileSync('/proc/self/autogroup', '0') ?? 'got',
  nothing: () => `${os.getPriority()} ${fs.readFileSync('/proc/self/autogroup', 'utf8').trim()}`,
  'a session of its own': () => shell('setsid --wait echo got').trim(),
  'a daemon': async ({ mark }) => {
    daemon(mark, 'ignore')
    await wait(300)
    return 'left'
  },
  'a daemon that holds the output': async ({ mark }) => {
    daemon(mark, 'inherit')
    await wait(300)
    return 'left'
  },
  'many processes': async ({ mark }) => {
    for (let n = 0; n < 75; n++)
      spawn('sh', ['-c', 'sleep 61; exit', mark], { stdio: 'ignore' }).on('error', () => {})
    await wait(PATIENCE_MS)
    return 'got'
  },
  'memory in a child': async () => {
    const child = hog(400)
    await wait(PATIENCE_MS)
    child.kill()
    return 'got'
  },
  'memory in many children': async () => {
    const children = Array.from({ length: 8 }, () => hog(60))
    await wait(PATIENCE_MS)
    for (const child of children) child.kill()
    return 'got'
  },
  'memory between calls': () => {
    hog(400).unref()
    return 'left'
  },
  'the disk': ({ mark }) => fill(`/tmp/${mark}`),
  'shared memory': ({ mark }) => fill(`/dev/shm/${mark}`),
  'garbage to the runner': async () => {
    fs.writeSync(3, Buffer.from([0, 0, 0, 4, 0xff, 0xff, 0xff, 0xff]))
    await wait(PATIENCE_MS)
    return 'got'
  },
  'a message without end': async () => {
    fs.writeSync(3, Buffer.from([0xff, 0xff, 0xff, 0xff]))
    await wait(PATIENCE_MS)
    return 'got'
  },
}

export const run = ({ x }) => ATTACKS[x.attack](x)
