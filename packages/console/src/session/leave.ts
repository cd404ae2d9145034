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
