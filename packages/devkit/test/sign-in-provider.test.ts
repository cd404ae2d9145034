/** @slow It drives Chromium. */
import { readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from '@jest/globals'
import { freePorts } from '@payments/devkit/machine/ports'
import { developmentPeople, findPerson } from '@payments/devkit/sign-in/people'
import { type SignInProvider, startSignInProvider } from '@payments/devkit/sign-in/provider'
import {
  developmentClientId,
  developmentProviderId,
  signInProviderFiles,
} from '@payments/devkit/sign-in/provider-files'
import { accessibilityViolations, type Browser, openBrowser } from '@payments/testing/peers/browser'
import { type Receiver, receiver } from '@payments/testing/peers/receiver'

let directory: string
let provider: SignInProvider
let issuer: string
let gateway: Receiver
let browser: Browser

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sign-in-provider-'))
  gateway = await receiver()
  browser = await openBrowser()
  const { clientSecretFile, keyFile } = signInProviderFiles(directory)
  const [port = 0] = await freePorts(1)
  issuer = `http://127.0.0.1:${port}`
  provider = await startSignInProvider({
    port,
    issuer,
    consoleOrigin: gateway.url,
    clientSecret: readFileSync(clientSecretFile, 'utf8'),
    key: readFileSync(keyFile, 'utf8'),
    people: developmentPeople,
  })
})
afterAll(async () => {
  await Promise.all([provider?.close(), gateway?.close(), browser?.close(), rm(directory, { recursive: true })])
})

const authorizationUrl = (changes: Readonly<Record<string, string>> = {}) =>
  `${issuer}/auth?${new URLSearchParams({
    client_id: developmentClientId,
    response_type: 'code',
    redirect_uri: `${gateway.url}/session/callback/${developmentProviderId}`,
    scope: 'openid email profile',
    state: 's',
    nonce: 'n',
    code_challenge: 'A'.repeat(43),
    code_challenge_method: 'S256',
    max_age: '0',
    ...changes,
  })}`

it('creates its secret and its key once, which only their owner can read', () => {
  const files = signInProviderFiles(directory)
  const before = Object.values(files).map((file) => readFileSync(file, 'utf8'))
  const again = signInProviderFiles(directory)
  expect(Object.values(again).map((file) => readFileSync(file, 'utf8'))).toEqual(before)
  expect(Object.values(files).map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600])
})

it('reports that it is ready', async () => {
  expect((await fetch(`${issuer}/readyz`)).status).toBe(200)
})

it('shows an accessible page with the people, focuses the expected one, and leads back with a code', async () => {
  const page = await browser.newPage({ viewport: { width: 360, height: 740 } })
  const complaints: string[] = []
  page.on('console', (message) => complaints.push(message.text()))
  await page.goto(authorizationUrl({ login_hint: 'dev@juniper.example' }))
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await accessibilityViolations(page)).toEqual([])
  }
  expect(await page.locator(':focus').textContent()).toContain('Dev Developer')
  expect(await page.getByRole('button').count()).toBe(5)
  await page.getByRole('button', { name: 'Ada Admin' }).click()
  const [callback] = await gateway.waitFor(({ path }) => path.startsWith('/session/callback'))
  const query = new URL(callback?.path ?? '', gateway.url).searchParams
  expect([query.get('state'), query.get('iss')]).toEqual(['s', issuer])
  expect(query.get('code')).toEqual(expect.any(String))
  expect(complaints).toEqual([])
})

it('shows the page at every sign-in, and follows a change of the person', async () => {
  const context = await browser.newContext()
  const page = await context.newPage()
  for (const [index, name] of ['Ada Admin', 'Ada Admin', 'Viv Viewer'].entries()) {
    await page.goto(authorizationUrl({ max_age: '43200', state: `round-${index}` }))
    await page.getByRole('button', { name }).click()
    const callbacks = await gateway.waitFor(({ path }) => path.includes(`state=round-${index}`))
    expect(callbacks[0]?.path).toContain('code=')
  }
  expect(await gateway.waitFor(({ path }) => path === '/session/back-channel-logout')).toHaveLength(1)
  await context.close()
})

it('signs in anyone by an email address, which an invitation has filled in', async () => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.goto(authorizationUrl({ login_hint: 'grace.hopper@juniper.example', state: 'other' }))
  expect(await page.locator(':focus').inputValue()).toBe('grace.hopper@juniper.example')
  await page.keyboard.press('Enter')
  const callbacks = await gateway.waitFor(({ path }) => path.includes('state=other'))
  expect(callbacks[0]?.path).toContain('code=')
  await context.close()
})

it('an email address is one person, in any letter case, and that of a known person is that person', () => {
  const [ada] = developmentPeople
  for (const text of ['ada', 'ada@juniper.example', 'Ada@Juniper.example'])
    expect(findPerson(developmentPeople, text)).toBe(ada)
  const grace = findPerson(developmentPeople, 'grace.hopper@juniper.example')
  expect(grace?.name).toBe('Grace Hopper')
  expect(findPerson(developmentPeople, 'Grace.Hopper@Juniper.example')).toEqual(grace)
})

it('accepts no client but its own, no other redirect, and no request without PKCE', async () => {
  const others = ['https://evil.example/callback', `${gateway.url}/session/callback/other`]
  const faults = [{ client_id: 'other' }, ...others.map((redirect_uri) => ({ redirect_uri }))]
  const statuses = await Promise.all(faults.map(async (fault) => (await fetch(authorizationUrl(fault))).status))
  expect(statuses).toEqual([400, 400, 400])
  const withoutProof = await fetch(authorizationUrl({ code_challenge: '' }), { redirect: 'manual' })
  expect(withoutProof.headers.get('location')).toContain('error=invalid_request')
})

it('an unknown sign-in gets a message', async () => {
  const response = await fetch(`${issuer}/person/unknown`)
  expect([response.status, await response.text()]).toEqual([
    400,
    expect.stringContaining('The sign-in cannot continue.'),
  ])
})
