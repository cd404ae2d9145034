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
