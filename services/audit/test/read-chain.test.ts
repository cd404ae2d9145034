import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { verifyNextRange } from '../src/verbs/verify-next-range.ts'
import { createRecord, startWorld, type World } from './world.ts'

let world: World
let tenantId: string
beforeAll(async () => {
  world = await startWorld()
})
beforeEach(async () => {
  tenantId = randomUUID()
  await verifyAll()
})
afterAll(() => world.stop())

const read = async (of = tenantId) => (await world.asTenant(of).get('/v1/audit/chain')).body

/** The number of verified ranges. */
async function verifyAll(): Promise<number> {
  for (let ranges = 0; ; ranges += 1) if ((await verifyNextRange(world.deps)) === undefined) return ranges
}

const notVerified = { last_verified_at: null, last_verified_count: null, last_verification_findings: null }

describe('readChain', () => {
  test('shows how many records of the tenant are sealed', async () => {
    expect(await read()).toEqual({ record_count: 0, sealed_count: 0, sealed_at: null, ...notVerified })
    await world.sealedChain(tenantId)
    await world.store([createRecord(tenantId)])
    const chain = await read()
    expect(chain).toEqual({ record_count: 13, sealed_count: 12, sealed_at: expect.any(String), ...notVerified })
    expect(Date.now() - Date.parse(chain.sealed_at)).toBeLessThan(60_000)
    expect(await read(randomUUID())).toMatchObject({ record_count: 0, sealed_at: null })
  })

  test('shows when the whole chain was verified, and that nothing was changed', async () => {
    await world.sealedChain(tenantId)
    expect(await verifyAll()).toBeGreaterThan(0)
    expect(await read()).toMatchObject({
      last_verified_at: expect.any(String),
      last_verified_count: 12,
      last_verification_findings: 0,
    })
  })

  test('shows how many differences the verification found', async () => {
    await world.sealedChain(tenantId)
    await world.tamper(`UPDATE audit_records SET path = '/x' WHERE tenant_id = $1 AND position IN (1, 9)`, tenantId)
    const verified = await verifyNextRange(world.deps)
    expect(verified).toMatchObject({ tenantId, findings: [{ kind: 'record_edited' }, { kind: 'record_edited' }] })
    expect(await read()).toMatchObject({ last_verification_findings: 2 })
  })

  test('finds that the seal was removed where a verification continues', async () => {
    await world.sealedChain(tenantId)
    await verifyAll()
    await world.owner.query(
      `UPDATE audit_verifications SET sequence = 9, due_at = now() - interval '1 second' WHERE tenant_id = $1`,
      [tenantId],
    )
    expect(await verifyNextRange(world.deps)).toMatchObject({ findings: [{ kind: 'seal_removed', sequence: 9 }] })
    expect(await read()).toMatchObject({ last_verification_findings: 1 })
  })
})
