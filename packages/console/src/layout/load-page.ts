const reloadedKey = 'reloaded-for-release'
const reloadMsMin = 30_000
const timeoutMs = 10_000

/** The chunk of a page could not be loaded. */
export class PageUnavailable extends Error {
  override name = 'PageUnavailable'
}

/**
 * Loads the module of a page. After a rollout, an open page requests a chunk of the previous release: where the gateway
 * responds, the page loads again, once. Otherwise rejects with PageUnavailable.
 */
export const loaded =
  <Module>(load: () => Promise<Module>): (() => Promise<Module>) =>
  async () => {
    try {
      return await load()
    } catch {
      const last = Number(sessionStorage.getItem(reloadedKey) ?? 0)
      if (Date.now() - last > reloadMsMin && (await isServed())) {
        sessionStorage.setItem(reloadedKey, String(Date.now()))
        location.reload()
        return new Promise<never>(() => {})
      }
      throw new PageUnavailable('the page could not be loaded')
    }
  }

async function isServed(): Promise<boolean> {
  try {
    const { ok } = await fetch('/console', { cache: 'no-store', signal: AbortSignal.timeout(timeoutMs) })
    return ok
  } catch {
    return false
  }
}
