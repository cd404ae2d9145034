/** @slow It drives Chromium. */
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals'
import { languages, toFormatLocale } from '@payments/contracts/nouns/locale'
import { accessibilityViolations, type Page } from '@payments/testing/peers/browser'
import { textsByLanguage } from '@payments/texts/by-language'
import { becomes, type CardPages, findFrame, payButton, ready, startCardPages } from './card-pages.ts'

const screenshots = process.env['PAY_PAGE_SCREENSHOTS']

let pages: CardPages
beforeAll(async () => {
  pages = await startCardPages()
})
afterAll(() => pages.stop())
afterEach(() => pages.reset())

const looks = [360, 1280].flatMap((width) =>
  (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
)

it.each(['fields', 'error', 'not loaded'] as const)(
  'is accessible and as high as its content, on phone and desktop, light and dark: %s',
  async (state) => {
    const opened = await pages.open({ fault: state === 'not loaded' ? 'blocked' : 'none' })
    if (state !== 'not loaded') await ready(opened)
    else await opened.card.getByRole('button', { name: 'Try again' }).waitFor()
    if (state === 'error') {
      await payButton(opened).click()
      await opened.card.getByText('incomplete').waitFor()
    }
    if (state === 'fields') expect(pages.complaints).toEqual([])
    for (const { width, colorScheme } of looks) {
      await opened.page.setViewportSize({ width, height: 900 })
      await opened.page.emulateMedia({ colorScheme })
      const frame = findFrame(opened.page)
      for (const one of [opened.page, frame]) expect(await accessibilityViolations(one)).toEqual([])
      await becomes(frame, 'document.documentElement.scrollHeight <= innerHeight')
      expect(await frame.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
      if (screenshots !== undefined) {
        await opened.page.screenshot({
          path: join(screenshots, `card-${state.replace(' ', '-')}-${width}-${colorScheme}.png`),
          fullPage: true,
        })
      }
    }
  },
)

it.each(languages)('fits into 320 px in the language %s, whatever fails', async (language) => {
  const opened = await pages.open({ url: pages.url(language), fault: 'blocked', viewport: { width: 320, height: 700 } })
  await opened.card.getByRole('heading', { name: textsByLanguage[language].cardPage.notLoaded.heading }).waitFor()
  const frame = findFrame(opened.page)
  expect(
    await frame.evaluate('[document.documentElement.lang, document.documentElement.scrollWidth <= innerWidth]'),
  ).toEqual([toFormatLocale(language), true])
  opened.stripe.fault = 'none'
  await opened.card.locator('#again').click()
  await ready(opened)
  const box = await payButton(opened).boundingBox()
  expect((box?.height ?? 0) >= 44).toBe(true)
})

/** The card page posts its height once more, and then no other one. */
const fixSize = (page: Page) =>
  findFrame(page).evaluate(`new Promise((resolve) => {
    document.body.style.cssText = 'width: 300px; height: 300px'
    requestAnimationFrame(() => requestAnimationFrame(resolve))
  })`)

it.each([
  ['grows with its content', 700, '702px'],
  ['has a greatest height', 99_999, '1200px'],
  ['has a least height', 1, '160px'],
])('the frame %s', async (_, height, expected) => {
  const { page } = await ready(await pages.open())
  await fixSize(page)
  await findFrame(page).evaluate(`parent.postMessage({ type: 'card_page_height', height: ${height} }, '*')`)
  await becomes(page, `document.getElementById('card-page').style.height === '${expected}'`)
  await page.evaluate(`postMessage({ type: 'card_page_height', height: 500 }, '*')`)
  await findFrame(page).evaluate(`parent.postMessage({ type: 'card_page_height', height: '10em' }, '*')`)
  await findFrame(page).evaluate(`new Promise((resolve) => setTimeout(resolve))`)
  expect(await page.evaluate(`document.getElementById('card-page').style.height`)).toBe(expected)
})
