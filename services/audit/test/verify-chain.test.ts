import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { createRecord, startWorld, type World } from './world.ts'

let world: World
let tenantId: string
beforeAll(async () => {
  world = await startWorld()
})
beforeEach(() => {
  tenantId = randomUUID()
})
afterAll(() => world.stop())

const kinds = async (of: string | null = tenantId) =>
  (await world.findings(of)).map(({ kind, sequence }) => [kind, sequence])

describe('an unchanged chain', () => {
  test('has no findings, and reports the number of unsealed records', async () => {
    await world.sealedChain(tenantId)
    await world.store([createRecord(tenantId)])
    const { body } = await world.asOperator.get(`/internal/chains/${tenantId}/verification`)
    expect(body).toMatchObject({ findings: [], records_checked: 12, unsealed: 1, next_after_sequence: null })
    expect(body.seals.map(({ sequence }: { sequence: number }) => sequence)).toEqual([1, 2, 3])
  })

  test('exists for requests without a tenant', async () => {
    await world.store([createRecord(null), createRecord(null, { method: null, path: null })])
    await world.seal()
    expect(await kinds(null)).toEqual([])
  })

  test('does not exist without stored records', async () => {
    const { status, body } = await world.asOperator.get(`/internal/chains/${tenantId}/verification`)
    expect([status, body.code]).toEqual([404, 'chain_not_found'])
  })
})

describe('verification finds', () => {
  beforeEach(() => world.sealedChain(tenantId))
  const insertAt = (position: number, day = 'current_date') =>
    world.tamper(
      `INSERT INTO audit_records SELECT tenant_id, $2, ${day}, gen_random_uuid(), occurred_at, trace_id, actor_type, actor_id, method, path,
         operation, permission, outcome, status, code, ip, user_agent, duration_ms
       FROM audit_records WHERE tenant_id = $1 AND position = 1`,
      tenantId,
      position,
    )
  const rewriteSecondSeal = async () => {
    await world.tamper('DELETE FROM audit_records WHERE tenant_id = $1 AND position = 6', tenantId)
    await world.tamper('DELETE FROM audit_seals WHERE tenant_id = $1 AND sequence > 1', tenantId)
    // In two steps, so that no position is taken, whatever the order of the rows.
    for (const [change, from] of [
      ['+ 1000', 6],
      ['- 1001', 1000],
    ]) {
      await world.tamper(
        `UPDATE audit_records SET position = position ${change} WHERE tenant_id = $1 AND position > ${from}`,
        tenantId,
      )
    }
    await world.tamper(
      'UPDATE audit_chains SET head_position = 11, sealed_position = 4, sealed_sequence = 1 WHERE tenant_id = $1',
      tenantId,
    )
    await world.seal()
  }

  test('a removed record, with its position', async () => {
    await world.tamper('DELETE FROM audit_records WHERE tenant_id = $1 AND position = 6', tenantId)
    expect(await world.findings(tenantId)).toEqual([
      { sequence: 2, kind: 'record_removed', detail: 'no record exists at positions 6' },
    ])
  })

  test('two records with exchanged positions', async () => {
    await world.tamper(
      'UPDATE audit_records SET position = CASE position WHEN 5 THEN 106 ELSE 105 END WHERE tenant_id = $1 AND position IN (5, 6)',
      tenantId,
    )
    await world.tamper(
      'UPDATE audit_records SET position = position - 100 WHERE tenant_id = $1 AND position > 100',
      tenantId,
    )
    expect(await kinds()).toEqual([['record_edited', 2]])
  })

  test('a record inserted at an assigned position', async () => {
    await world.owner.query('SELECT audit_make_partitions(1)')
    await insertAt(6, 'current_date + 1')
    expect(await kinds()).toEqual([['record_inserted', 2]])
  })

  test('a record inserted outside of the assigned positions', async () => {
    await insertAt(0)
    await insertAt(99)
    expect(await kinds()).toEqual([['record_inserted', 4]])
  })

  test('a seal with a range that is too large to read', async () => {
    await world.tamper(
      'UPDATE audit_seals SET to_position = 1000000000000 WHERE tenant_id = $1 AND sequence = 3',
      tenantId,
    )
    expect((await kinds())[0]).toEqual(['seal_rewritten', 3])
  })

  test('a removed seal, and a chain truncated at its end', async () => {
    await world.tamper('DELETE FROM audit_seals WHERE tenant_id = $1 AND sequence = 2', tenantId)
    expect((await kinds())[0]).toEqual(['seal_removed', 2])
    await world.tamper('DELETE FROM audit_seals WHERE tenant_id = $1 AND sequence = 3', tenantId)
    expect((await kinds())[0]).toEqual(['seal_removed', 2])
  })

  test('no fault in a chain that the service sealed again; an earlier checkpoint does', async () => {
    const checkpoint = await world.readCheckpoint(tenantId)
    await rewriteSecondSeal()
    expect(await kinds()).toEqual([])
    const { body } = await world.asOperator.get(`/internal/chains/${tenantId}/verification`)
    expect(body.seals).not.toContainEqual({ sequence: checkpoint.sequence, hash: checkpoint.hash })
  })
})

test('verification of a range starts after the given seal', async () => {
  await world.sealedChain(tenantId)
  const { body } = await world.asOperator.get(`/internal/chains/${tenantId}/verification?after_sequence=2`)
  expect([body.findings, body.records_checked]).toEqual([[], 4])
  const beyond = await world.asOperator.get(`/internal/chains/${tenantId}/verification?after_sequence=9`)
  expect([beyond.status, beyond.body.code]).toEqual([404, 'chain_not_found'])
})
