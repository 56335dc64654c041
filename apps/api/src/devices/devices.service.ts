import { randomBytes } from 'node:crypto'
import { type DeviceSpec, type EnrolledAgent, hashOfToken, type Target } from '@hivemind/deploy'
import { Inject, Injectable } from '@nestjs/common'
import type { BodyOf } from '../common/contract.ts'
import { conflict, impossible, notFound } from '../common/problem.ts'
import { isLoopback } from '../config/config.ts'
import type { Noun } from '../database/tables.ts'
import { TARGET } from '../deployments/target.ts'
import { type DeviceRow, DevicesRepository } from './devices.repository.ts'

const TOKEN_BYTES = 32

const agentOf = (row: DeviceRow): EnrolledAgent => ({
  id: row.id,
  class: row.class,
  tokenHash: row.token_hash,
  enrolledAt: row.enrolled_at.getTime(),
})

/** Devices of other machines: who may dial in, with which credential. */
@Injectable()
export class DevicesService {
  private readonly target: Target
  private readonly repository: DevicesRepository

  constructor(@Inject(TARGET) target: Target, repository: DevicesRepository) {
    this.target = target
    this.repository = repository
  }

  /** Lets the devices that were enrolled before dial in. */
  async open(): Promise<void> {
    const rows = await this.repository.list()
    if (rows.length > 0) await this.target.enrol(rows.map(agentOf))
  }

  /** Devices that were enrolled or have called in. */
  async list(): Promise<Noun<'Device'>[]> {
    const devices = await this.target.fleet()
    return devices.map(({ seenAt, ...device }) => ({
      ...device,
      ...(seenAt !== undefined && { seenAt: new Date(seenAt).toISOString() }),
    }))
  }

  /** Where devices dial in. */
  async address(): Promise<Noun<'DialIn'>> {
    const { broker, values } = await this.target.enrol([])
    const isOnlyHere = (url: string): boolean =>
      isLoopback(URL.parse(url)?.hostname.replace(/^\[(.*)\]$/, '$1') ?? '')
    return { broker, values, onlyHere: [broker, values].filter(isOnlyHere) }
  }

  /** Throws 409 when the id is taken. */
  async enrol({ id, class: of }: BodyOf<'enrolDevice'>): Promise<Noun<'DeviceCredential'>> {
    const token = randomBytes(TOKEN_BYTES).toString('base64url')
    const row = { id, class: of, token_hash: hashOfToken(token), enrolled_at: new Date() }
    if (!(await this.repository.add(row)))
      throw conflict(`There is a device '${id}' already: remove it first, or choose another id.`)
    const { values: _, ...address } = await this.target.enrol([agentOf(row)])
    return { ...address, device: id, class: of, token }
  }

  /** Throws 404. */
  async remove(id: string): Promise<void> {
    if (!(await this.repository.remove(id))) throw notFound('enrolled device', id)
    await this.target.removeDevice(id)
  }

  /** The named devices, for a deployment. Throws 422 naming those that are not enrolled, and the field of the request. */
  async specs(ids: readonly string[], field = 'devices'): Promise<DeviceSpec[]> {
    const known = new Map((await this.repository.list()).map((row) => [row.id, row]))
    return [...new Set(ids)].map((id) => {
      const row = known.get(id)
      if (!row) throw impossible(field, `There is no device '${id}': enrol it, or leave it out.`)
      return { name: id, class: row.class, enrolled: true }
    })
  }
}
