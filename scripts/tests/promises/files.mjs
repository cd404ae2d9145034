/** The tests of the project by component and noun. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readTitles } from './titles.mjs'

const root = resolve(import.meta.dirname, '..', '..', '..')

/**
 * @typedef {import('./titles.mjs').Part} Part
 * @typedef {{ path: string, component: string, noun: string, parts: Part[] }} TestFile
 */

/**
 * Every file that has tests, suites included, in the order of components, nouns and names.
 * @returns {TestFile[]}
 */
export function testFiles() {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts'], { cwd: root })
  const paths = [...new Set(listed.toString().split('\n'))].filter(
    (path) => isTest(path) && existsSync(join(root, path)),
  )
  const findNoun = createNounFinder(paths)
  const files = paths.map((path) => {
    const parts = readTitles(readFileSync(join(root, path), 'utf8'))
    return { path, component: findComponent(path), noun: findNoun(path), parts }
  })
  const key = ({ component, noun, path }) => `${order(component)} ${component} ${noun} ${path}`
  return files.filter(({ parts }) => parts.length > 0).sort((a, b) => (key(a) < key(b) ? -1 : 1))
}

const isTest = (path) => /(^|\/)test\//.test(path) || path.startsWith('packages/testing/src/')

/** A service or package. `platform`: tests of all together; `every-service`: suites that services call. */
function findComponent(path) {
  if (path.startsWith('packages/testing/src/')) return 'every-service'
  return /^(?:services\/|packages\/)?([^/]+)\//.exec(path)[1].replace(/^test$/, 'platform')
}

const order = (component) => ['platform', 'every-service'].indexOf(component) + 1 || 3

/**
 * The noun of `services/api-key/test/rotate-key.test.ts` is `key`: the shortest end of its name that some verb of the
 * component creates, lists or reads. A file that no such noun ends keeps its name.
 */
function createNounFinder(paths) {
  const nouns = new Set(
    paths.flatMap((path) => {
      const name = /^(?:create|list|read)-([\w-]+)$/.exec(baseName(path))?.[1]
      return name === undefined ? [] : [`${findComponent(path)} ${singular(name)}`]
    }),
  )
  return (path) => {
    const words = baseName(path).split('-')
    const ends = words.map((_, index) => singular(words.slice(words.length - 1 - index).join('-')))
    return (ends.find((end) => nouns.has(`${findComponent(path)} ${end}`)) ?? baseName(path)).replaceAll('-', ' ')
  }
}

const baseName = (path) => path.replace(/^.*\//, '').replace(/(\.test)?\.ts$/, '')
const singular = (name) => name.replace(/ies$/, 'y').replace(/(?<!s)s$/, '')
