import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { describeEnvironment } from '@payments/chassis/base/config'
import { operatorCallModel } from '@payments/messaging/outbox/operator-calls'
import { outboxModel } from '@payments/messaging/outbox/outbox'
import { businessUnitCopyModel } from '@payments/service/business-units/copy-row'
import { payerErasureModel } from '@payments/service/payers/erasures'
import type { z } from 'zod'
import { environments } from '../scripts/texts/environments.mjs'
import { looseQueries, storeNames } from './store-scope.ts'
import { files, isSource, read, root } from './tracked-files.ts'

/** The style guide as tests. No database, no network. */
const code = files.filter((file) => /\.(tsx?|mjs|cjs)$/.test(file) && !/(^|\/)generated\//.test(file))
const source = files.filter(isSource)
const documents = files.filter((file) => file.endsWith('.md'))
const services = [
  ...new Set(files.flatMap((file) => /^services\/([^/]+)\/package\.json$/.exec(file)?.[1] ?? [])),
].sort()

const ofEveryService = [
  'README.md',
  'package.json',
  'tsconfig.json',
  'prisma.config.ts',
  'prisma/schema.prisma',
  'prisma/migrations/migration_lock.toml',
  'src/main.ts',
  'src/config.ts',
  'src/deps.ts',
  'src/store/database.ts',
  'test/world.ts',
  'test/contract.test.ts',
]
const api = ['app.ts', 'routes.ts']

test('every service has the floor plan', () => {
  const missing = services
    .flatMap((service) => {
      const folder = service === 'webhooks' ? 'src/api' : 'src'
      return [...ofEveryService, ...api.map((file) => `${folder}/${file}`)].map((file) => `services/${service}/${file}`)
    })
    .filter((file) => !files.includes(file))
  expect(missing).toEqual([])
})

test('the build has every folder with code', () => {
  const { references } = JSON.parse(read('tsconfig.json')) as { references: { path: string }[] }
  const folders = files.flatMap((file) => /^(.+)\/tsconfig\.json$/.exec(file)?.[1] ?? [])
  // Static files: Vite builds the console, and the documentation is written from its sources.
  const others = ['test', 'packages/console', 'packages/docs-site']
  expect(references.map(({ path }) => path).sort()).toEqual(folders.filter((folder) => !others.includes(folder)).sort())
})

test('src/ of a service holds the files of the floor plan and folders, nothing else', () => {
  const root = /^services\/([^/]+)\/src\/([^/]+)$/
  const oneProcess = ['main.ts', 'app.ts', 'deps.ts', 'config.ts', 'routes.ts', 'consumers.ts', 'jobs.ts', 'clients.ts']
  const twoProcesses = ['main.ts', 'dispatcher.ts', 'deps.ts', 'config.ts']
  const strays = files.filter((file) => {
    const [, service = '', name = ''] = root.exec(file) ?? []
    return name !== '' && !(service === 'webhooks' ? twoProcesses : oneProcess).includes(name)
  })
  expect(strays).toEqual([])
  const folders = files.flatMap((file) => /^services\/[^/]+\/src\/([^/]+)\//.exec(file)?.[1] ?? [])
  expect(folders.filter((folder) => !/^[a-z]+(-[a-z]+)*$/.test(folder))).toEqual([])
})

const exportedFunctions = (file: string) =>
  [...read(file).matchAll(/^export (?:async )?(?:function|const) (\w+)/gm)].map(([, name = '']) => name)
const fileName = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

test('every verb is one file with one exported function of the same name; reads of a noun share read-<noun>s', () => {
  const verbs = source.filter((file) => /^services\/[^/]+\/src\/verbs\/[^/]+\.ts$/.test(file))
  const odd = verbs.filter((file) => {
    const exported = exportedFunctions(file)
    if (file.includes('/read-') && exported.length > 1) return false
    return exported.length !== 1 || !file.endsWith(`/${fileName(String(exported[0]))}.ts`)
  })
  expect(verbs.length).toBeGreaterThan(30)
  expect(odd).toEqual([])
})

test("a verb of a tenant's API filters every row by the tenant's id", () => {
  const verbs = source.filter((file) => /\/src\/verbs\//.test(file) && /: Caller\b/.test(read(file)))
  expect(verbs.length).toBeGreaterThan(30)
  expect(verbs.filter((file) => /\bacrossTenants\b|\ballTenants\b|\bdb\.sql\b/.test(read(file)))).toEqual([])
  const used = new Map<string, Set<string>>()
  for (const file of verbs) {
    for (const [store, names] of storeNames(read(file))) {
      const stored = join(file, '../..', store)
      used.set(stored, new Set([...(used.get(stored) ?? []), ...names]))
    }
  }
  expect([...used.values()].reduce((sum, names) => sum + names.size, 0)).toBeGreaterThan(60)
  const loose = [...used].flatMap(([file, names]) =>
    looseQueries(read(file), [...names]).map(({ name, query }) => `${file}: ${name}: ${query}`),
  )
  expect(loose).toEqual([])
})

test.each([
  ['takes no tenant', 'export function find(tx: Tx, id: string) {\n  return tx.key.findFirst({ where: { id } })\n}\n'],
  [
    'takes it and does not use it',
    'export function find(tx: Tx, tenantId: string, id: string) {\n  return tx.key.findFirst({ where: { id } })\n}\n',
  ],
  [
    'uses it in one of two queries',
    'export async function find(tx: Tx, tenantId: string, id: string) {\n  await tx.key.count({ where: { tenantId } })\n  return tx.key.findFirst({ where: { id } })\n}\n',
  ],
  [
    'filters by a condition without it',
    'export function find(tx: Tx, tenantId: string, id: string) {\n  const where = { id }\n  return tx.key.deleteMany({ where })\n}\n',
  ],
  [
    'returns a statement without it',
    'export function find(tenantId: string, id: string): Sql {\n  return sql`SELECT 1 FROM keys WHERE id = ${id}`\n}\n',
  ],
  ['returns a statement and takes no tenant', 'export function find(id: string): Sql {\n  return sql`SELECT 1`\n}\n'],
  [
    'has SQL without it',
    'export function find(tx: Tx, tenantId: string, id: string) {\n  return tx.$queryRawUnsafe(`SELECT 1 FROM keys WHERE id = $1`, id)\n}\n',
  ],
  [
    'has SQL without it that another query beside it has',
    'export async function find(tx: Tx, tenantId: string, id: string) {\n  await tx.$executeRaw`DELETE FROM keys WHERE id = ${id}`\n  await tx.$executeRaw`DELETE FROM keys WHERE tenant_id = ${tenantId}`\n}\n',
  ],
  [
    'has a method named as a function that uses it',
    'export function find(tx: Tx, tenantId: string, id: string) {\n  return tx.key.update({ where: { id } })\n}\n\nexport function update(tx: Tx, tenantId: string) {\n  return tx.key.count({ where: { tenantId } })\n}\n',
  ],
])('… and reports a store function that %s', (_what, text) => {
  expect(looseQueries(text, ['find']).map(({ name }) => name)).toEqual(['find'])
})

/** Prisma joins `findUnique` calls of one moment into one statement, which runs in the scope of the first caller. */
const joinsCallers = (text: string) => /\.findUnique(OrThrow)?\(/.test(text)

test('a store reads by findFirst, which Prisma sends in the scope of its caller', () => {
  const stores = source.filter((file) => /^services\/[^/]+\/src\/store\//.test(file))
  expect(stores.length).toBeGreaterThan(30)
  expect(stores.filter((file) => joinsCallers(read(file)))).toEqual([])
  expect(joinsCallers('return tx.key.findUnique({ where: { id } })')).toBe(true)
})

test('… and finds the names that a verb uses of its stores', () => {
  const verb = `import { findKey, type KeyRow, lockKey as lock } from '../store/keys.ts'
import * as roles from '../store/roles.ts'
const rows = [...roles.list(tx), await roles.find(tx), other.roles.pick(tx)]`
  expect([...storeNames(verb)]).toEqual([
    ['store/keys.ts', ['findKey', 'type KeyRow', 'lockKey']],
    ['store/roles.ts', ['list', 'find']],
  ])
  expect(() => storeNames(`${verb}\nconst { remove } = roles`)).toThrow('must be used as roles.name')
})

test('no line of prose has more than 120 characters', () => {
  const prose = files.filter(
    (file) => /\.(md|tsx?|mjs|prisma|yaml)$/.test(file) && file !== 'pnpm-lock.yaml' && !/(^|\/)generated\//.test(file),
  )
  const long = prose.flatMap((file) => proseLines(file).filter((line) => line.length > 120))
  expect(long).toEqual([])
})

/** Comments; in Markdown all but code and tables. */
function proseLines(file: string): string[] {
  if (!file.endsWith('.md'))
    return read(file)
      .split('\n')
      .filter((line) => /^\s*(?:\*|\/\*\*|\/\/+|#|--)\s/.test(line))
  const text = read(file).replaceAll(/^ *```[\s\S]*?^ *```/gm, '')
  return text.split('\n').filter((line) => !line.trimStart().startsWith('|'))
}

test('no import has an alias that ends in Of', () => {
  const aliased = /^import\b[^'"]*\bas \w+Of\b/m
  expect(code.filter((file) => aliased.test(read(file)))).toEqual([])
})

test('the tests of verb X are in X.test.ts; of reads also in the test of their file', () => {
  const untested = source.flatMap((file) => {
    const [, service, own = ''] = /^services\/([^/]+)\/src\/verbs\/([^/]+)\.ts$/.exec(file) ?? []
    if (service === undefined) return []
    const isTested = (name: string) => files.includes(`services/${service}/test/${name}.test.ts`)
    if (own.startsWith('read-') && isTested(own)) return []
    return exportedFunctions(file)
      .map(fileName)
      .filter((name) => !isTested(name))
  })
  expect(untested).toEqual([])
})

test.each([
  ['outbox', 'OutboxEvent', outboxModel],
  ['table of copies of business units', 'BusinessUnitCopy', businessUnitCopyModel],
])('the %s is the same in every service that has one', (_table, name, model) => {
  const schemas = files.filter((file) => file.endsWith('schema.prisma') && read(file).includes(`model ${name} `))
  expect(schemas).toContain('services/webhooks/prisma/schema.prisma')
  expect(schemas.filter((file) => !squeeze(read(file)).includes(squeeze(model)))).toEqual([])
})

test('the tables of erasures of payers are the same in every service that has them', () => {
  const schemas = files.filter((file) => file.endsWith('schema.prisma') && read(file).includes('model PayerErasure '))
  expect(schemas).toHaveLength(3)
  expect(schemas.filter((file) => !squeeze(read(file)).includes(squeeze(payerErasureModel)))).toEqual([])
})

test('every service has the same table of operators’ calls', () => {
  const schemas = services.map((service) => `services/${service}/prisma/schema.prisma`)
  const different = schemas.filter((file) => !squeeze(read(file)).includes(squeeze(operatorCallModel)))
  expect(different).toEqual([])
})

const squeeze = (text: string) => text.replaceAll(/\s+/g, ' ').trim()

test('the environment is read in config.ts and nowhere else', () => {
  const readers = source.filter(
    (file) =>
      /^(services|gateway|packages)\//.test(file) && /process\.env\b/.test(read(file)) && !file.endsWith('/config.ts'),
  )
  expect(readers.filter((file) => !/^packages\/(devkit|testing|client\/examples|console\/vite)/.test(file))).toEqual([])
})

test('names are in the terms of the field', () => {
  const vague =
    /\b(?:class|interface|type|function|const)\s+(I[A-Z][a-z]\w*|\w*(?:Dto|DTO|Impl|Manager|Helper|Utils?))\b/
  const found = code.filter((file) => file !== 'test/tidy.test.ts' && vague.test(read(file)))
  expect(found).toEqual([])
  expect(files.filter((file) => /(^|\/)(common|shared|utils?|core|lib|helpers?|types)(\/|\.ts$)/.test(file))).toEqual(
    [],
  )
})

test('the colour scheme changes the colours of tokens.css in the console, and nothing else', () => {
  const sheets = files.filter((file) => /^packages\/console\/.+\.css$/.test(file))
  expect(sheets.filter((file) => file.endsWith('/tokens.css'))).toHaveLength(1)
  const others = sheets.filter((file) => !file.endsWith('/tokens.css'))
  expect(others.filter((file) => /prefers-color-scheme|data-theme/.test(read(file)))).toEqual([])
})

test('nothing is left to do without an issue, skipped, or silenced', () => {
  const unfinished =
    /\b(TODO(?!\(#\d+\))|FIXME|XXX)\b|@ts-(ignore|nocheck)|\b(it|test|describe)\.(skip|only|todo)\b|biome-ignore|oxlint-disable/
  expect(code.filter((file) => file !== 'test/tidy.test.ts' && unfinished.test(read(file)))).toEqual([])
})

test('paths named in documents exist', () => {
  const missing = documents.flatMap((file) =>
    [...read(file).matchAll(/`((?:packages|services|gateway|scripts|docs|test|bench|k8s|\.ci)\/[\w./-]*[\w-])`/g)]
      .map((match) => match[1] ?? '')
      .filter((path) => !existsSync(join(root, path)))
      .map((path) => `${file}: ${path}`),
  )
  expect(missing).toEqual([])
})

test('every metric in docs/operating.md exists', () => {
  const named = [...read('docs/operating.md').matchAll(/`([a-z]+(?:_[a-z]+)*_(?:total|bytes|seconds|depth))`/g)]
  expect(named.length).toBeGreaterThan(5)
  const all = source.map(read).join('\n')
  expect(named.map(([, name]) => name).filter((name) => !all.includes(`name: '${name}'`))).toEqual([])
})

test('links between documents lead to files', () => {
  const broken = documents.flatMap((file) =>
    [...read(file).matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)/g)]
      .map((match) => match[1] ?? '')
      .filter((target) => !existsSync(join(root, file, '..', target)))
      .map((target) => `${file}: ${target}`),
  )
  expect(broken).toEqual([])
})

test('.env.example is what the processes read (write it with `node scripts/texts/env-example.mjs`)', async () => {
  const schemas: Record<string, z.ZodObject> = {}
  for (const [name = '', folder = '', exported = ''] of environments) {
    schemas[name] = (await import(join(root, folder, 'src/config.ts')))[exported]
  }
  expect(read('.env.example')).toBe(describeEnvironment(schemas))
})

test('every version is in the catalog, once', () => {
  const manifests = files.filter((file) => /(^|\/)package\.json$/.test(file))
  const loose = manifests.flatMap((file) => {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(read(file))
    return Object.entries({ ...dependencies, ...devDependencies })
      .filter(([, version]) => !/^(catalog:|catalog:typescript-6|workspace:\*)$/.test(String(version)))
      .map(([name]) => `${file}: ${name}`)
  })
  expect(loose).toEqual([])
})
