import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deploy, locateMigrations, type Migrations } from '@payments/devkit/migrations/migrate'
import type { Service } from '@payments/devkit/servers/databases'
import { findIncompatible, readColumns } from './columns.ts'

const prismaIn = (checkout: string, service: Service) => join(checkout, 'services', service, 'prisma')

/**
 * The migrations of a checkout; of this one for a service that the other one does not have. The name differs from that
 * of this checkout: it is part of a template's name.
 */
export function migrationsIn(checkout: string, service: Service): Migrations {
  const prisma = prismaIn(checkout, service)
  if (!existsSync(prisma)) return locateMigrations(service)
  return {
    name: `previous-${service}`,
    schemaFile: join(prisma, 'schema.prisma'),
    directory: join(prisma, 'migrations'),
  }
}

/**
 * Applies the migrations of this checkout to a database of the previous release. Returns the changes of columns that
 * break the previous release. `checkout`: of that release.
 */
export async function migrate(ownerUrl: string, service: Service, checkout: string): Promise<string[]> {
  const isNew = !existsSync(prismaIn(checkout, service))
  const before = await readColumns(ownerUrl)
  await deploy(locateMigrations(service), ownerUrl)
  if (isNew) return []
  const schema = readFileSync(migrationsIn(checkout, service).schemaFile, 'utf8')
  const found = findIncompatible(before, await readColumns(ownerUrl), schema)
  return found.map((one) => `${service}: ${one}`)
}
