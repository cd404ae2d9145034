import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { keyHash } from '@payments/contracts/key-value'
import { commonProblems, Problem } from '@payments/contracts/problem'
import { createResolver, type Principal } from '../src/authorization/resolver.ts'
import { tenantId, tokens } from './epoch-model.ts'
import { type MakeJudge, tryOut } from './epoch-schedule.ts'

/**
 * The gateway's memory of power against owners whose answers, epochs and events are late, lost or overtaken, in random order.
 * Judged by what the owners would have said at some moment after the request arrived: neither power that had been taken by then,
 * nor, as strictly, the lack of power that had been given.
 */
const schedulesMax = 6_000
/** A mutant is found out within some hundred, most of them. */
const mutantSchedulesMax = 1_500

/** Small memories, so that they overflow too. The issuer of the tokens is always right. */
const real =
  (create: typeof createResolver): MakeJudge =>
  (owners) =>
    create({
      owners,
      tokens: {
        verify: async (token) => ({
          tenantId,
          subject: token,
          roleNames: tokens[token] ?? [],
          expiresAtMs: Number.POSITIVE_INFINITY,
        }),
      },
      environment: 'dev',
      onUsesFailure: () => {},
      remembered: { keysMax: 2, unknownHandlesMax: 2, grantsMax: 3, tokensMax: 1 },
    })

test('judges no request by power that was taken, or lack of power that was mended, before it arrived', async () => {
  const tally = await tryOut(real(createResolver), { seed: 1, schedulesMax, violationsMax: 1 })
  expect(tally.story).toEqual([])
  expect(tally.schedules).toBe(schedulesMax)
  expect(tally.judged).toBeGreaterThan(3 * schedulesMax)
  expect(tally.unavailable).toBeGreaterThan(0)
}, 300_000)

/** What others do: remember the owners' answer, forget it when the broker says that something has changed. */
const naive: MakeJudge = ({ apiKey, rbac }, listen) => {
  const remembered = new Map<string, Principal | undefined>()
  listen(() => remembered.clear())
  const ask = async (credential: string): Promise<Principal | undefined> => {
    const context = { traceId: 'x' }
    const names = tokens[credential]
    const { key } =
      names === undefined
        ? await apiKey.identifyKey(context, { body: { key_hash: keyHash(credential) } })
        : { key: { api_key_id: credential, enabled: true, role_ids: [] } }
    if (!key?.enabled) return undefined
    const body = names === undefined ? { role_ids: key.role_ids } : { role_names: [...names] }
    const granted = await rbac.resolveRoles(context, { params: { tenant_id: tenantId }, body })
    return {
      tenantId,
      tenantStatus: granted.tenant_status,
      actor: { type: names === undefined ? 'api_key' : 'user', id: key.api_key_id },
      permissions: granted.permissions,
      allowedCidrs: null,
    }
  }
  return {
    async judge(credential) {
      if (remembered.has(credential)) return remembered.get(credential)
      const principal = await ask(credential).catch((cause: unknown) => {
        throw new Problem(commonProblems.authorization_unavailable, { cause })
      })
      remembered.set(credential, principal)
      return principal
    },
    close: async () => {},
  }
}

test('the naive scheme, a cache that events invalidate, does not pass this check', async () => {
  const { violations, judged } = await tryOut(naive, { seed: 1, schedulesMax: 500 })
  expect(judged).toBeGreaterThan(1_000)
  expect(violations).toBeGreaterThan(20)
})

/** One line of the real thing changed. */
const mutations: [name: string, file: string, from: string, to: string][] = [
  [
    'joins what began before the request arrived',
    'epoch-flight.ts',
    'if (flight === undefined) return begin(key, run)',
    'if (flight === undefined) return begin(key, run)\n    if (flight !== undefined) return flight.current',
  ],
  [
    'keeps an answer though the position has moved',
    'authority-memory.ts',
    'if (epoch.position() === before) memory',
    'memory',
  ],
  ['does not look at the epoch of keys', 'authority.ts', '[keys.catchUp(), roles.catchUp()]', '[roles.catchUp()]'],
  ['does not look at the epoch of roles', 'authority.ts', '[keys.catchUp(), roles.catchUp()]', '[keys.catchUp()]'],
  ['does not look at the epoch for tokens', 'authority.ts', '    await roles.catchUp()\n', ''],
  ['takes another history for its own', 'epoch.ts', 'known?.incarnation === incarnation &&', 'known !== undefined &&'],
  ['overlooks a gap', 'epoch.ts', 'else forgetAll()', 'else if (invalidated !== null) forgetAll()'],
  ['forgets no key', 'authority-keys.ts', 'key: known.forget', 'key: () => {}'],
  ['forgets no role', 'authority-roles.ts', 'role: memory.forget', 'role: () => {}'],
  ['forgets no tenant', 'authority-roles.ts', 'tenant: memory.forget', 'tenant: () => {}'],
  [
    'remembers for ever that a key is unknown',
    'authority-keys.ts',
    'unknown_key_hashes: () => unknown.clear()',
    'unknown_key_hashes: () => {}',
  ],
  [
    'takes an owner that is silent for one that has nothing to tell',
    'epoch.ts',
    "flights('epoch', advance)",
    "flights('epoch', advance).catch(() => {})",
  ],
  [
    'loses track of what an answer depends on when another takes its place',
    'authority-memory.ts',
    'keys.delete(key)',
    'keys.clear()',
  ],
]

const source = join(import.meta.dirname, '..', 'src')
const workshop = join(import.meta.dirname, '..', '.data')
mkdirSync(workshop, { recursive: true })
const mutants = mkdtempSync(join(workshop, 'mutants-'))
afterAll(() => rmSync(mutants, { recursive: true }))

async function mutant(number: number, file: string, from: string, to: string): Promise<typeof createResolver> {
  const directory = join(mutants, String(number))
  mkdirSync(directory)
  for (const name of readdirSync(source).filter((one) => /^(authority|epoch).*\.ts$/.test(one))) {
    const text = readFileSync(join(source, name), 'utf8')
    if (name === file) expect(text.split(from)).toHaveLength(2)
    writeFileSync(join(directory, name), name === file ? text.replace(from, to) : text)
  }
  const changed = (await import(join(directory, 'authority.ts'))) as { createResolver: typeof createResolver }
  return changed.createResolver
}

test.each(mutations.map((mutation, number) => [...mutation, number] as const))(
  'a memory that %s is found out',
  async (_, file, from, to, number) => {
    const create = await mutant(number, file, from, to)
    const tally = await tryOut(real(create), { seed: 1, schedulesMax: mutantSchedulesMax, violationsMax: 1 })
    expect(tally.violations).toBeGreaterThan(0)
  },
  120_000,
)
