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

export const signInUrl = (page: string): string => `/session/sign-in?return_to=${encodeURIComponent(page)}`
