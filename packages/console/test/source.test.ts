import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'

/** Ways in which a text of a tenant or a receiver could become markup, a script, or an address to follow. */
const forbidden = [
  /dangerouslySetInnerHTML/,
  /\b(?:inner|outer)HTML\b/,
  /insertAdjacentHTML/,
  /\bsrcDoc\b|\bsrcdoc\b/,
  /document\.write/,
  /\beval\(|new Function\(/,
  // An address is written in the source, or is one of the two of the sign-in.
  /\bhref=\{(?!url\})/,
]

const source = join(import.meta.dirname, '..', 'src')
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => /\.tsx?$/.test(name))
const faultsIn = (text: string) => forbidden.filter((form) => form.test(text)).map(String)

test('no source of the console makes markup, scripts or links of text', () => {
  expect(files.length).toBeGreaterThan(40)
  const faults = files.map((name) => [name, faultsIn(readFileSync(join(source, name), 'utf8'))] as const)
  expect(faults.filter(([, found]) => found.length > 0)).toEqual([])
})

test.each([
  '<div dangerouslySetInnerHTML={{ __html: label }} />',
  'element.innerHTML = label',
  '<iframe srcDoc={html} />',
  '<a href={subscription.destination_url}>open</a>',
  '<a href={`${label}`}>open</a>',
])('a violation is found: %s', (text) => {
  expect(faultsIn(text)).toHaveLength(1)
})
