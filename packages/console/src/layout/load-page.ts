import { isServed, reportFailure } from '../session/connection.ts'

const reloadedKey = 'reloaded-for-release'
const reloadMsMin = 30_000

/** The chunk of a page could not be loaded: the network failed, or no replica has it any more after a rollout. */
export class PageUnavailable extends Error {
  override name = 'PageUnavailable'
}

/** Loads the module of a page, also of a link under the pointer. Rejects with PageUnavailable. */
export const createLoader =
  <Module>(load: () => Promise<Module>): (() => Promise<Module>) =>
  () =>
    load().catch(async () => {
      await reportFailure()
      throw new PageUnavailable('the page could not be loaded')
    })

/**
 * Loads the console again, for the chunks of the current release. Returns false, and does nothing, where it did so just
 * before, and where the gateway does not respond.
 */
export async function reloadForRelease(): Promise<boolean> {
  const last = Number(sessionStorage.getItem(reloadedKey) ?? 0)
  if (Date.now() - last <= reloadMsMin || !(await isServed())) return false
  sessionStorage.setItem(reloadedKey, String(Date.now()))
  location.reload()
  return true
}
