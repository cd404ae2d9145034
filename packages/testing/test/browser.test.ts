/** @slow It drives Chromium. */
import { expect, it } from '@jest/globals'
import { accessibilityViolations, openBrowser } from '@payments/testing/peers/browser'

it('reports each violation with its element', async () => {
  const browser = await openBrowser()
  try {
    const page = await browser.newPage()
    await page.setContent(`<!doctype html><html lang="en"><title>Page</title><main><h1>Page</h1>
      <img src="data:,"><p style="color:#ccc;background:#fff">Pale</p></main>`)
    const violations = await accessibilityViolations(page)
    expect(violations).toEqual([
      expect.stringMatching(/^color-contrast: <p /),
      expect.stringMatching(/^image-alt: <img /),
    ])
  } finally {
    await browser.close()
  }
})
