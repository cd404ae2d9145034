import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, test } from '@jest/globals'
import { epochModels, epochRow } from '../src/database/authorization-version.ts'

test('the tables are the same in every authorization source, and the migration inserts the row', () => {
  const services = resolve(import.meta.dirname, '..', '..', '..', 'services')
  const text = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8').replaceAll(/\s+/g, ' ') : '')
  const sources = readdirSync(services)
    .map((service) => join(services, service, 'prisma'))
    .filter((prisma) => text(join(prisma, 'schema.prisma')).includes('model AuthzEpoch'))
  expect(sources.length).toBeGreaterThan(0)
  for (const prisma of sources) {
    for (const model of epochModels.split('\n\nmodel')) {
      expect(text(join(prisma, 'schema.prisma'))).toContain(model.replaceAll(/\s+/g, ' '))
    }
    const migrations = readdirSync(join(prisma, 'migrations')).map((name) =>
      join(prisma, 'migrations', name, 'migration.sql'),
    )
    const creating = migrations.map(text).filter((sql) => sql.includes('CREATE TABLE authz_epoch'))
    expect(creating).toEqual([expect.stringContaining(epochRow)])
    expect(creating).toEqual([expect.stringContaining('CONSTRAINT authz_epoch_one_row CHECK ((id = 1))')])
  }
})
