import type { accessKeys } from '@hivemind/contracts'
import { Injectable } from '@nestjs/common'
import type { z } from 'zod'
import { reachIn } from '../auth/access.ts'
import type { BodyOf } from '../common/contract.ts'
import { conflict, invalid, notFound } from '../common/problem.ts'
import { Turns } from '../common/turns.ts'
import type { Grant } from '../database/tables.ts'
import { AccessKeysRepository } from './access-keys.repository.ts'
import { hashOf, type Key, KeyRing, type Match, newSecret } from './key-ring.ts'

type AccessKey = z.output<typeof accessKeys.AccessKey>
type AccessKeyWithSecret = z.output<typeof accessKeys.AccessKeyWithSecret>

/** Access keys of the store: kept in the database, with hashes for secrets, and found in memory. */
@Injectable()
export class AccessKeysService {
  private readonly repository: AccessKeysRepository
  private readonly ring = new KeyRing()
  /** Keeps memory and database in step. */
  private readonly turns = new Turns()

  constructor(repository: AccessKeysRepository) {
    this.repository = repository
  }

  /** Reads the keys that were made before. */
  async open(): Promise<void> {
    for (const key of await this.repository.list()) this.ring.add(key)
  }

  list(): AccessKey[] {
    return this.ring.list().map((key) => this.describe(key))
  }

  /** Throws 400 for a time that is over, and 409 when the name is taken. */
  async create({ name, grants, expiresAt }: BodyOf<'createAccessKey'>): Promise<AccessKeyWithSecret> {
    const secret = newSecret(name)
    const key: Key = {
      name,
      grants,
      hash: hashOf(secret),
      expiresAt: expiresAt === undefined ? null : new Date(expiresAt),
      createdAt: new Date(),
    }
    if (this.ring.isExpired(key)) throw invalid('expiresAt', 'is over already')
    await this.turns.run(name, async () => {
      if (!(await this.repository.add(key)))
        throw conflict(`There is an access key '${name}' already: remove it first, or choose another name.`)
      this.ring.add(key)
    })
    return { ...this.describe(key), secret }
  }

  /** Throws 404. */
  async remove(name: string): Promise<void> {
    await this.turns.run(name, async () => {
      if (!(await this.repository.remove(name))) throw notFound('access key', name)
      this.ring.remove(name)
    })
  }

  /** What is known of a secret. */
  find(secret: string): Match {
    return this.ring.find(secret)
  }

  /** What keys that have not expired may do in a pool. */
  reaching(pool: string): (Grant & { name: string })[] {
    return this.ring
      .list()
      .filter((key) => !this.ring.isExpired(key))
      .flatMap(({ name, grants }) => reachIn(grants, pool).map((grant) => ({ name, ...grant })))
  }

  private describe(key: Key): AccessKey {
    const { name, grants, expiresAt, createdAt } = key
    return {
      name,
      grants: [...grants],
      ...(expiresAt && { expiresAt: expiresAt.toISOString() }),
      expired: this.ring.isExpired(key),
      createdAt: createdAt.toISOString(),
    }
  }
}
