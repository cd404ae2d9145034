import { expect, test } from '@jest/globals'
import { testFiles } from '../scripts/tests/promises/files.mjs'
import { countPromises, renderPage } from '../scripts/tests/promises/page.mjs'
import { readTitles } from '../scripts/tests/promises/titles.mjs'

/** The list that `npm run promises` prints. */
const titles = (text: string) => readTitles(text).map(({ title, cases }) => [title, ...cases])

test.each([
  ['a test', `test('pays once', () => {})`, ['pays once']],
  ['a test with a time-out', `it('pays once', async () => {}, 60_000)`, ['pays once']],
  ['a test in a function', `const suite = () => {\n  test('pays once', () => {})\n}`, ['pays once']],
  ['a title in two parts', `test('pays ' + 'once', () => {})`, ['pays once']],
  ['a template', 'test(`pays ${times}`, () => {})', ['pays …']],
  ['a choice', `test(once ? 'pays once' : 'pays twice', () => {})`, ['pays once | pays twice']],
  ['a test without cases that names a per cent', `test('pays 100 %s', () => {})`, ['pays 100 %s']],
  ['cases', `test.each(['once', 'twice'])('pays %s', () => {})`, ['pays …', 'once', 'twice']],
  ['cases of several values', `test.each([['a', 2, run]] as const)('%s pays %i', () => {})`, ['… pays …', 'a, 2']],
  ['cases by name', `test.each([{ name: 'a', run }])('$name pays', () => {})`, ['… pays', 'a']],
  ['the keys of a constant', `const all = { a: 1 }\ntest.each(Object.keys(all))('%s', () => {})`, ['…', 'a']],
  ['cases that are no literals', `test.each(payers())('pays %s', () => {})`, ['pays …']],
  ['cases whose whole title is one', `test.each(payers.map(run))('%s', () => {})`, ['each of payers']],
])('reads the title of %s', (_what, text, expected) => {
  expect(titles(text)).toEqual([expected])
})

test('reads no other call', () => {
  expect(
    titles(`/x/.test('pays')\nz.string().describe('pays')\npattern.test(a, b)\ntest.once('exit', resolve)`),
  ).toEqual([])
})

test('a block contains its tests', () => {
  const [block] = readTitles(`describe('a payer', () => {\n  test('pays', () => {})\n})`)
  expect(block).toMatchObject({ title: 'a payer', isBlock: true, parts: [{ title: 'pays', isBlock: false }] })
})

const files = testFiles()

test('every test file of the project has promises, of its component', () => {
  expect(files.filter(({ path }) => path.endsWith('.test.ts')).length).toBeGreaterThan(400)
  expect(files.filter(({ parts }) => countPromises(parts) === 0).map(({ path }) => path)).toEqual([])
  const listComponents = (path: string) => files.filter((file) => file.path === path).map(({ component }) => component)
  expect(listComponents('services/webhooks/test/sweep.test.ts')).toEqual(['webhooks'])
  expect(listComponents('gateway/test/lease.test.ts')).toEqual(['gateway'])
  expect(listComponents('test/journey.test.ts')).toEqual(['platform'])
  expect(listComponents('packages/testing/src/suites/contract-suite.ts')).toEqual(['every-service'])
})

test('the tests of the verbs of a noun stand together', () => {
  const nouns = (path: string) => files.filter((file) => file.path === path).map(({ noun }) => noun)
  const verbs = ['create-key', 'list-keys', 'rotate-own-key']
  expect(verbs.map((verb) => nouns(`services/api-key/test/${verb}.test.ts`))).toEqual([['key'], ['key'], ['key']])
  const orchestrator = 'services/business-unit/test/update-payment-orchestrator.test.ts'
  expect(nouns(orchestrator)).toEqual(['payment orchestrator'])
})

test('the list has 80 columns', () => {
  const long = renderPage(files)
    .split('\n')
    .filter((line) => line.length > 80 && line.trim().includes(' '))
  expect(long).toEqual([])
})
