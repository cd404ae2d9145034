import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import { contracts } from '@payments/contracts/edges/contracts'
import { currencyCode, decimalAmount } from '@payments/contracts/grammar/currency'
import { openApiDocument } from '@payments/contracts/openapi/document'
import { clientFiles } from '../generate/client-files.mjs'
import { countMinorUnitDigits } from '../src/currencies.ts'
import { operations } from '../src/generated/operations.ts'

const directory = new URL('../src/generated/', import.meta.url)
const files = readdirSync(directory).filter((name) => name.endsWith('.ts'))
const read = (file: string) => readFileSync(new URL(file, directory), 'utf8')

test('the types are those of the contracts', async () => {
  const generated = await clientFiles(openApiDocument(contracts))
  expect(files.sort()).toEqual(Object.keys(generated).sort())
  for (const [file, text] of Object.entries(generated)) expect([file, read(file) === text]).toEqual([file, true])
})

test('has every operation that a tenant calls, with what the client knows of it, and no other', () => {
  const expected = contracts.flatMap(({ endpoints }) =>
    Object.entries(endpoints)
      .filter(([, { audience }]) => audience !== 'internal' && audience !== 'public')
      .map(([name, { method, path, idempotent = false, query, permission = null }]) => {
        const list = query !== undefined && 'cursor' in query.shape
        return [name, { method, path, idempotencyKey: idempotent, list, permission }]
      }),
  )
  expect(expected.length).toBeGreaterThan(80)
  expect(operations).toEqual(Object.fromEntries(expected))
})

test('contains no internal endpoint', () => {
  const internal = contracts.flatMap(({ endpoints }) =>
    Object.entries(endpoints).filter(([, { audience }]) => audience === 'internal'),
  )
  expect(internal.length).toBeGreaterThan(10)
  const text = files.map(read).join('\n')
  for (const [name, { path }] of internal) {
    expect([path, text.includes(`'${path}'`) || text.includes(`"${path}"`)]).toEqual([path, false])
    expect([name, new RegExp(`^\\s+${name}: `, 'm').test(text)]).toEqual([name, false])
  }
})

test('marks the method of a deprecated operation', async () => {
  const document = openApiDocument(contracts) as { paths: Record<string, Record<string, { deprecated?: true }>> }
  const { get } = document.paths['/v1/rbac/roles'] ?? {}
  if (get === undefined) throw new Error('there is no such operation')
  get.deprecated = true
  const { 'operations.ts': text = '' } = await clientFiles(document)
  expect(text).toMatch(/@deprecated\n +\*\/\n +listRoles:/)
  expect(text.match(/@deprecated/g)).toHaveLength(1)
})

test('knows the digits of the minor unit of every currency', () => {
  const codes = currencyCode.meta()?.['enum'] as string[]
  expect(codes.length).toBeGreaterThan(150)
  const readFraction = (code: string) => decimalAmount(1, code).split('.')[1] ?? ''
  expect(codes.filter((code) => readFraction(code).length !== countMinorUnitDigits(code))).toEqual([])
  expect(['JPY', 'KWD', 'CLF', 'EUR', 'LAK'].map(countMinorUnitDigits)).toEqual([0, 3, 4, 2, 2])
})
