/** Starts the whole service and stops it again, in order. */
import { createServer } from 'node:net'
import path from 'node:path'
import { DataFolderInUseError } from '@hivemind/data-folder'
import { ClusterError, interfaceOf, openTarget, type Target } from '@hivemind/deploy'
import type { Store } from '@hivemind/store'
import { inspectSandbox } from '@hivemind/task-runner'
import type { DataPort } from '@hivemind/values'
import { NestFactory } from '@nestjs/core'
import type { NestFastifyApplication } from '@nestjs/platform-fastify'
import { AccessKeysService } from './access-keys/access-keys.service.ts'
import { appModule } from './app.module.ts'
import { AuthService } from './auth/auth.service.ts'
import { log } from './common/log.ts'
import { StartError } from './common/start-error.ts'
import { sentenceOf } from './common/text.ts'
import { type Config, isLoopback } from './config/config.ts'
import { sandboxWarning } from './config/sandbox.ts'
import { type Database, openDatabase } from './database/database.ts'
import { DeploymentsService } from './deployments/deployments.service.ts'
import { LiveDeployments } from './deployments/live-deployments.ts'
import { DevicesService } from './devices/devices.service.ts'
import { EventsService } from './events/events.service.ts'
import { createAdapter, prepareHttp } from './http.ts'
import { JobsService } from './jobs/jobs.service.ts'
import { ProjectsService } from './projects/projects.service.ts'
import { LeftRuns } from './runs/left-runs.ts'
import { PassingValues } from './runs/passing-values.ts'
import { RunsService } from './runs/runs.service.ts'
import { Backups, backUpDataFolder } from './storage/backups.ts'
import { lockFolder, prepareDataDir } from './storage/data-dir.ts'
import { Housekeeping } from './storage/housekeeping.ts'
import { OpenedStore } from './storage/opened-store.ts'
import { VersionsService } from './versions/versions.service.ts'

export interface Service {
  /** Where it listens, with a slash at the end. */
  url: string
  /** Stops jobs, runs and deployments, then answers no more. Idempotent. */
  close(): Promise<void>
  backups: Backups
  store: Store
}

function portError(error: unknown, { host, port }: Config): StartError {
  const { code } = error as NodeJS.ErrnoException
  const where = `port ${port} on ${host}`
  if (code === 'EADDRINUSE')
    return new StartError(
      `Something already listens on ${where}: stop it, or choose another port with --port.`,
    )
  if (code === 'EACCES')
    return new StartError(`This user may not listen on ${where}: choose a port above 1023 with --port.`)
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartError(`${host} is no address of this machine: choose another with --host.`)
  return new StartError(`The service cannot listen on ${where}: ${sentenceOf(error)}.`)
}

/** Finds out early, before the database takes its time, that a port is taken. Throws `StartError`. */
async function tryPorts(config: Config): Promise<void> {
  await tryPort(config.port, config.host).catch((error) => {
    throw portError(error, config)
  })
  const { dialIn } = config
  if (dialIn?.port !== undefined)
    await tryPort(dialIn.port, interfaceOf(dialIn.address)).catch((error) => {
      throw new StartError(
        `The service cannot listen for devices on port ${dialIn.port}: ${sentenceOf(error)}. Choose another in HIVEMIND_DEVICES_PORT.`,
      )
    })
}

function tryPort(port: number, host?: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(port, host, () => probe.close(() => resolve()))
  })
}

/** The lock of the data folder. Throws `StartError`, also while another service has it. */
function lock(dataDir: string): () => void {
  try {
    return lockFolder(dataDir)
  } catch (error) {
    throw error instanceof DataFolderInUseError ? new StartError(error.message) : error
  }
}

const POWER_LOSS =
  'The embedded database survives a crash of the service, but a power loss may cost it what was written since the last backup (one each hour): set DATABASE_URL to a PostgreSQL server to keep every acknowledged write.'

/** The target of the settings, with all it keeps on this machine in the data folder. Rejects with `StartError`. */
async function ownTarget(
  { target, dataDir, leaseSeconds, dialIn, broker, maxProcesses }: Config,
  data: DataPort,
): Promise<Target> {
  const options = {
    dir: path.join(dataDir, 'local'),
    data,
    leaseSeconds,
    ...(dialIn && { dialIn }),
    ...(broker && { broker }),
    ...(maxProcesses !== undefined && { maxProcesses }),
    log: (level: 'debug' | 'info' | 'warn' | 'error', text: string) => log[level](text),
  }
  return openTarget(target, options, process.env).catch((error: unknown) => {
    throw error instanceof ClusterError ? new StartError(error.message) : error
  })
}

/**
 * Starts the service; throws `StartError` with one sentence when it cannot. `unlockFolder` is the release of the data folder, when the
 * caller has taken it.
 */
export async function startService(
  config: Config,
  target?: Target,
  unlockFolder?: () => void,
): Promise<Service> {
  prepareDataDir(config.dataDir)
  await tryPorts(config)
  const unlock = unlockFolder ?? lock(config.dataDir)
  let database: Database | undefined
  let opened: OpenedStore | undefined
  let app: NestFastifyApplication | undefined
  const closeAll = async () => {
    try {
      await app?.close()
      await database?.close()
      await opened?.store.close()
    } finally {
      unlock()
    }
  }
  try {
    const store = await OpenedStore.open(config)
    opened = store
    database = await openDatabase(config.dataDir, config.databaseUrl, async (before) => {
      const dir = await backUpDataFolder(config, before, store, 'upgrade')
      if (dir) log.info({ dir }, 'The data folder was backed up before its database is upgraded.')
    })
    if (database.kind === 'embedded' && !isLoopback(config.host)) log.warn(POWER_LOSS)
    const unconfined = sandboxWarning(config.sandbox, inspectSandbox())
    if (unconfined) log.warn(unconfined)
    app = await NestFactory.create<NestFastifyApplication>(
      appModule(config, database, store, target ?? (await ownTarget(config, store.values))),
      createAdapter(config),
      { logger: false, abortOnError: false },
    )
    await prepareHttp(app, config)
    const parts = {
      jobs: app.get(JobsService),
      runs: app.get(RunsService),
      leftRuns: app.get(LeftRuns),
      deployments: app.get(DeploymentsService),
      live: app.get(LiveDeployments),
      events: app.get(EventsService),
      versions: app.get(VersionsService),
      housekeeping: app.get(Housekeeping),
      backups: app.get(Backups),
    }
    await app.get(ProjectsService).repairFolders()
    await parts.versions.adoptFiles()
    await parts.versions.repairTexts()
    await parts.jobs.failInterrupted()
    const interrupted = await parts.leftRuns.failHopeless()
    await app.get(PassingValues).sweep()
    await app.get(DevicesService).open()
    await app.get(AccessKeysService).open()
    await app.get(AuthService).open()
    await parts.deployments.attachAll((id) => interrupted.get(id) ?? [])
    await parts.leftRuns.goOn()
    app.get(ProjectsService).beforeDelete(async (project) => {
      await parts.jobs.stopProject(project)
      await parts.runs.stopProject(project)
      await parts.live.endProject(project)
    })
    try {
      await app.listen(config.port, config.host)
    } catch (error) {
      throw portError(error, config)
    }
    parts.housekeeping.start()
    parts.backups.start()
    let closed: Promise<void> | undefined
    const close = async () => {
      try {
        await parts.jobs.stop()
        await parts.runs.stop()
        await parts.live.stop({ keep: config.keepDeployments })
        parts.versions.stop()
      } finally {
        await parts.housekeeping.stop()
        await parts.backups.stop()
        await parts.events.stop()
        await closeAll()
      }
    }
    const address = app.getHttpServer().address()
    const port = typeof address === 'object' && address !== null ? address.port : config.port
    const shownHost = config.host.includes(':') ? `[${config.host}]` : config.host
    return {
      url: `http://${shownHost}:${port}/`,
      backups: parts.backups,
      store: store.store,
      close: () => {
        closed ??= close()
        return closed
      },
    }
  } catch (error) {
    await closeAll()
    throw error
  }
}
