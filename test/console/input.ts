import { expect } from '@jest/globals'
import type { Page } from '@payments/testing/peers/browser'

/**
 * How the journeys use a page. `CONSOLE_INPUT=keyboard`: a click, a text and a choice reach their control with Tab
 * alone. `CONSOLE_WIDTH=360`: the window is so wide, and links of the navigation are behind its button.
 */
const isByKeyboard = process.env['CONSOLE_INPUT'] === 'keyboard'
const width = Number(process.env['CONSOLE_WIDTH'] ?? 1_280)
const isNarrow = width < 1_000

export const viewport = { width, height: 720 }

type Locator = ReturnType<Page['locator']>
type Acts = Pick<Locator, 'click' | 'fill' | 'check' | 'selectOption'>

const tabsMax = 400
/** How long a link of a page may take before it is one of the navigation. */
const linkMs = 2_000
let original: Acts | undefined

/** Makes the locators of this page, and of every other page of the process, act as the variables say. */
export function useInput(page: Page): void {
  if (original !== undefined || !(isByKeyboard || isNarrow)) return
  const locators = Object.getPrototypeOf(page.locator('body')) as Acts
  const { click, fill, check, selectOption } = locators
  original = { click, fill, check, selectOption }
  locators.click = async function (this: Locator, options) {
    await openNavigation(this)
    if (!isByKeyboard || options?.force === true) return click.call(this, options)
    await reach(this)
    const isBox = await this.evaluate((element) => element.matches('input[type=checkbox], input[type=radio]'))
    await this.page().keyboard.press(isBox ? 'Space' : 'Enter')
  }
  if (!isByKeyboard) return
  locators.fill = async function (this: Locator, text, options) {
    await reach(this)
    const isText = await this.evaluate((element) => element.matches('textarea, input:not([type^=date])'))
    if (!isText) return fill.call(this, text, options)
    await this.page().keyboard.press('Control+A')
    await this.page().keyboard.press('Delete')
    await this.page().keyboard.type(text)
  }
  locators.check = async function (this: Locator) {
    await reach(this)
    if (!(await this.isChecked())) await this.page().keyboard.press('Space')
    expect(await this.isChecked()).toBe(true)
  }
  locators.selectOption = async function (this: Locator, ...args) {
    await reach(this)
    return selectOption.apply(this, args)
  }
}

/** In a narrow window, a link that the page does not have is one of the navigation. */
export async function openNavigation(locator: Locator): Promise<void> {
  const opener = locator.page().getByRole('button', { name: 'Navigation' })
  if (!isNarrow || !String(locator).includes("'link'") || !(await opener.isVisible())) return
  const isThere = await locator.waitFor({ timeout: linkMs }).then(
    () => true,
    () => false,
  )
  if (!isThere) await (original?.click ?? opener.click).call(opener)
}

/** Moves the focus with Tab to the control. */
async function reach(locator: Locator): Promise<void> {
  await locator.waitFor()
  for (let presses = 0; presses < tabsMax; presses++) {
    if (await locator.evaluate((element) => element === document.activeElement)) return
    await locator.page().keyboard.press('Tab')
  }
  expect(`Tab reaches ${String(locator)}`).toBe('reached')
}
