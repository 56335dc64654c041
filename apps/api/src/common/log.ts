/** The service's log: JSON lines for programs, one readable line each on a terminal. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { Writable } from 'node:stream'
import pino, { type Logger } from 'pino'

interface LogOptions {
  /** One JSON object a line; else a line for people. */
  json: boolean
  level: string
  write: (text: string) => void
}

const request = new AsyncLocalStorage<string>()

/** Runs `act`; whatever is logged meanwhile, and by what it starts, carries the id of the request. */
export const withRequestId = <T>(id: string, act: () => T): T => request.run(id, act)

/** Fields that the readable line does not repeat. */
const SHOWN_ELSEWHERE = new Set(['level', 'time', 'msg', 'err'])

interface Entry {
  level: number
  time: number
  msg?: string
  err?: { message?: string; stack?: string }
}

/** `12:00:01 warn  The message. run=1f request=7`, and the stack of an error below it. */
export function readableLine(json: string): string {
  const entry = JSON.parse(json) as Entry & Record<string, unknown>
  const level = (pino.levels.labels[entry.level] ?? 'info').padEnd(5)
  const fields = Object.entries(entry)
    .filter(([name]) => !SHOWN_ELSEWHERE.has(name))
    .map(([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const text = entry.msg ?? entry.err?.message ?? ''
  const stack = entry.err?.stack ? `\n${entry.err.stack}` : ''
  return `${new Date(entry.time).toISOString().slice(11, 19)} ${level} ${text.replace(/\s*\n\s*/g, ' ')}${fields.join('')}${stack}\n`
}

/** A log that writes to `write`. */
export function createLog({ json, level, write }: LogOptions): Logger {
  const sink = new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      const text = chunk.toString()
      write(json ? text : readableLine(text))
      done()
    },
  })
  return pino(
    {
      level,
      base: null,
      formatters: json ? { level: (label) => ({ level: label }) } : {},
      timestamp: json ? pino.stdTimeFunctions.isoTime : pino.stdTimeFunctions.epochTime,
      mixin: () => {
        const id = request.getStore()
        return id === undefined ? {} : { request: id }
      },
    },
    sink,
  )
}

const LEVELS = Object.values(pino.levels.labels)
const wantedLevel = process.env.HIVEMIND_LOG_LEVEL ?? ''

/**
 * The log of this process, on stderr: JSON when that is no terminal or with `HIVEMIND_LOG=json`. `HIVEMIND_LOG_LEVEL` is
 * `info` unless set. Name what a line is about by a field: `run`, `deployment`, `job` or `project`.
 */
export const log: Logger = createLog({
  json: process.env.HIVEMIND_LOG === 'json' || !process.stderr.isTTY,
  level: LEVELS.includes(wantedLevel) ? wantedLevel : 'info',
  write: (text) => process.stderr.write(text),
})
