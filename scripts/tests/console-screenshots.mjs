/**
 * npm run console:screenshots: pictures of the console with the sample data, in docs/console/. Needs a running
 * npm start -- --sample; CONSOLE_GATEWAY_URL names another gateway.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { bootstrap, root, run } from '../bootstrap.mjs'

const gatewayUrl = process.env.CONSOLE_GATEWAY_URL ?? 'http://127.0.0.1:8080'
const viewport = { width: 1280, height: 800 }
const stepMs = 30_000

/** Opens the first row of a table. */
const openFirst = (table, name) => async (page) => {
  await page.getByRole('table', { name: table }).getByRole('link', { name }).first().click()
}

/** By file: the path of a page, and what is opened on it. */
const pictures = {
  home: { path: '' },
  'api-keys': { path: '/keys' },
  roles: { path: '/roles', open: openFirst('Roles', 'developer') },
  subscriptions: { path: '/subscriptions' },
  deliveries: { path: '/deliveries' },
  delivery: { path: '/deliveries?status=dead', open: openFirst('Deliveries') },
  'dead-letters': { path: '/dead-letters' },
  transaction: { path: '/transactions?status=partially_refunded', open: openFirst('Transactions') },
  invitations: { path: '/invitations' },
  audit: { path: '/audit' },
}

const toCookie = ({ name, value }) => ({
  name,
  value,
  domain: new URL(gatewayUrl).hostname,
  path: '/',
  secure: true,
  httpOnly: true,
  sameSite: 'Strict',
})

await run(async () => {
  await bootstrap()
  const { openBrowser } = await import('../../packages/testing/dist/peers/browser.js')
  const { signInAs } = await import('../../packages/devkit/dist/sign-in/sign-in-as.js')
  const directory = join(root, 'docs', 'console')
  mkdirSync(directory, { recursive: true })
  const cookies = await signInAs(gatewayUrl, 'ada')
  const browser = await openBrowser()
  try {
    const context = await browser.newContext({ viewport, reducedMotion: 'reduce', colorScheme: 'light' })
    await context.addCookies(cookies.map((cookie) => toCookie(cookie)))
    const page = await context.newPage()
    page.setDefaultTimeout(stepMs)
    for (const [name, { path, open }] of Object.entries(pictures)) {
      await page.goto(`${gatewayUrl}/console${path}`)
      await loaded(page)
      await open?.(page)
      await loaded(page)
      await page.screenshot({ path: join(directory, `${name}.png`) })
      console.log(`docs/console/${name}.png`)
    }
  } finally {
    await browser.close()
  }
})

/** The heading is there, and nothing is being read. */
async function loaded(page) {
  await page.waitForLoadState('networkidle', { timeout: 3_000 }).catch(() => {})
  await page.getByRole('heading', { level: 1 }).waitFor()
  for (const each of await page.getByText('Loading …').all()) await each.waitFor({ state: 'detached' })
}
