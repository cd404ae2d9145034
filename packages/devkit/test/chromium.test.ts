import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { findChromium, provideChromium, requireChromium } from '@payments/devkit/programs/chromium'

const { PATH, CHROMIUM_PATH } = process.env
let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'chromium-'))
  process.env['PATH'] = directory
  delete process.env['CHROMIUM_PATH']
})

afterEach(() => {
  process.env['PATH'] = PATH
  if (CHROMIUM_PATH === undefined) delete process.env['CHROMIUM_PATH']
  else process.env['CHROMIUM_PATH'] = CHROMIUM_PATH
  rmSync(directory, { recursive: true })
})

it('takes a browser on PATH, and rather the one that CHROMIUM_PATH names', async () => {
  const installed = join(directory, 'google-chrome')
  writeFileSync(installed, '', { mode: 0o755 })
  await provideChromium(() => {})
  expect(requireChromium()).toBe(installed)
  process.env['CHROMIUM_PATH'] = '/opt/another'
  expect(findChromium()).toBe('/opt/another')
})

it('names what to install where it cannot install a browser', async () => {
  const said: string[] = []
  await expect(provideChromium((line) => said.push(line))).rejects.toThrow(/apt-get install chromium.*CHROMIUM_PATH/)
  expect(said).toEqual([])
  expect(() => requireChromium()).toThrow('apt-get install chromium')
})
