/** @slow It runs every command and example of the documents. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { root } from '@payments/devkit/machine/profile'
import { type Browser, openBrowser } from '@payments/testing/peers/browser'
import { sharedPlatform } from '@payments/testing/platform/shared-platform'
import { type Onboarded, onboard } from './tenant.ts'

/** README's sections on payments and invitations, pasted into a shell: each line prints what its comment says. */
const platform = sharedPlatform()
let browser: Browser
let tenant: Onboarded
beforeAll(async () => {
  browser = await openBrowser()
  tenant = await onboard(platform, 'Acme')
}, 240_000)
afterAll(() => browser?.close())

const readme = readFileSync(join(root, 'README.md'), 'utf8')

/** The blocks of code of a section. */
function findBlocks(section: string): string[] {
  const [, text = ''] = new RegExp(`^## ${section}$(.*?)^## `, 'ms').exec(readme) ?? []
  return [...text.matchAll(/^```\n(.*?)^```$/gms)].map(([, code]) => code ?? '')
}

const [definitions = '', ...payments] = findBlocks('Take payments')
const people = findBlocks('Sign in and invite a person')
const [creation = '', outcome = ''] = findBlocks('Invite a customer to pay')

/** Pastes blocks after the definitions. Returns what they print. */
async function paste(...blocks: string[]): Promise<string> {
  const values = `KEY=${tenant.api_key.value} TENANT=${tenant.tenant_id} UNIT=${tenant.business_unit_id}`
  const exported = definitions.replace(/^export .*$/m, `export ${values} API=${platform.gatewayUrl}/v1`)
  expect(exported).toContain(values)
  const script = [exported, ...blocks].join('\n')
  const { stdout, stderr } = await promisify(execFile)('bash', ['-e', '-c', script], { timeout: 120_000 })
  expect(stderr).toBe('')
  return stdout.trim()
}

const readComments = (...blocks: string[]) =>
  [...blocks.join('\n').matchAll(/ +# (\S+)$/gm)].map(([, output]) => output)

test('the commands of README print what their comments say', async () => {
  const expected = readComments(...payments)
  expect(expected.length).toBeGreaterThan(4)
  expect((await paste(...payments)).split(/\s+/)).toEqual(expected)
}, 180_000)

test('the commands of README invite a person', async () => {
  const printed = (await paste(...people)).split(/\s+/)
  expect([printed[0], printed.at(-1)]).toEqual(readComments(...people))
}, 180_000)

test('the commands of README create a link that is paid in a browser', async () => {
  const printed = await paste(creation, 'echo "$CODE"')
  const code = printed.slice(printed.lastIndexOf('\n{') + 1)
  const { url } = JSON.parse(code)
  expect(printed.split(url).length).toBeGreaterThan(2)
  const page = await browser.newPage()
  await page.goto(url)
  await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: /^Pay / }).first().click()])
  await page.goto(url)
  await page.getByRole('heading', { level: 1, name: 'Payment complete' }).waitFor({ timeout: 60_000 })
  await waitForOutcome()
  expect((await paste(`CODE='${code}'`, outcome)).split(/\s+/)).toEqual(readComments(outcome))
}, 180_000)

/** Event and receipt arrive after the payment. */
async function waitForOutcome(): Promise<void> {
  const calls = [...outcome.matchAll(/^call ("[^"]*\?[^"]*")/gm)].map(([, query]) => query)
  expect(calls).toHaveLength(2)
  const [events, messages] = calls
  await paste(`until call ${events} | grep -q invite-to-pay && call ${messages} | grep -q Receipt; do sleep 0.2; done`)
}
