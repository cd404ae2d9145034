import { expect, test } from '@jest/globals'
import { services } from '@payments/devkit/servers/databases'
import pg from 'pg'
import { privateDatabase } from '../src/database/database.ts'

const unpublished = '(published_at IS NULL)'
const published = '(published_at IS NOT NULL)'

test.each(services.filter((service) => service !== 'audit'))(
  'the outbox of %s has the indexes of its relay',
  async (service) => {
    const database = await privateDatabase(service)
    const owner = new pg.Client(database.ownerUrl)
    await owner.connect()
    const { rows } = await owner.query<{ definition: string }>(
      `SELECT regexp_replace(indexdef, '^.* USING btree ', '') AS definition
     FROM pg_indexes WHERE tablename = 'outbox_events' ORDER BY 1`,
    )
    await owner.end()
    await database.drop()
    expect(rows.map(({ definition }) => definition)).toEqual([
      '(id)',
      `(published_at) WHERE ${published}`,
      `(sequence) WHERE ${unpublished}`,
      '(tenant_id, sequence) WHERE (num_nulls(published_at) = 1)',
    ])
  },
)
