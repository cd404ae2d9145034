/** The characters that the sign-in accepts in the page to return to, and how many. */
const accepted = /^\/console(?:\/[\w\-./?=&%]*)?$/
const lengthMax = 512

/** The page of this tab in the form that the sign-in accepts: without its filters where they are too long. */
export function returnTo({ pathname, search }: Pick<Location, 'pathname' | 'search'>): string {
  const encoded = search.replace(/[^\w\-./?=&%]/g, (character) =>
    [...new TextEncoder().encode(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  )
  const whole = pathname + encoded
  if (whole.length <= lengthMax && accepted.test(whole)) return whole
  return pathname.length <= lengthMax && accepted.test(pathname) ? pathname : '/console'
}

/** The page that ends a sign-in of another tab. */
export const signedInPage = '/console/signed-in'

/** The sign-in or step-up that returns to the page, in the tenant of this tab where it had one. */
export function signInUrl(page: string, path: 'sign-in' | 'step-up' = 'sign-in'): string {
  const tenantId = sessionStorage.getItem(storageKey)
  const query = { return_to: page, ...(tenantId === null ? {} : { tenant_id: tenantId }) }
  return `/session/${path}?${new URLSearchParams(query)}`
}

const storageKey = 'tenant'

/** For a document that opens in this tab after the session has ended. */
export const storeTenant = (tenantId: string): void => sessionStorage.setItem(storageKey, tenantId)
/** Before a sign-out or a switch: the next sign-in of this tab is for no page. */
export const clearTenant = (): void => sessionStorage.removeItem(storageKey)

/** The page after a sign-out. */
export const signedOutPage = '/session/signed-out'

/**
 * Opens a page outside of the console after a change of the session, and leaves nothing on this one: a browser that
 * goes back may restore the document without a request.
 */
export function leave(url: string): void {
  document.body.replaceChildren()
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload()
  })
  location.assign(url)
}

const timeoutMs = 30_000

/** Posts a form of the sign-in with the cookies of the browser. Resolves with the response of the page it leads to. */
export const postForm = (path: string, fields: Readonly<Record<string, string>>): Promise<Response> =>
  fetch(path, { method: 'POST', body: new URLSearchParams(fields), signal: AbortSignal.timeout(timeoutMs) })
