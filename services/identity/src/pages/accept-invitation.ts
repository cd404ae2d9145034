import { html } from '@payments/chassis/base/html'
import type { Page } from './page.ts'
import { acceptPath } from './paths.ts'

/**
 * Puts the token of the link into the form, and removes the fragment, so that neither the history nor a shared screen
 * shows the token.
 */
const acceptScript = `(() => {
  const token = location.hash.slice(1)
  const form = document.getElementById('accept')
  history.replaceState(null, '', location.pathname)
  document.getElementById('script-needed').hidden = true
  if (!/^[A-Za-z0-9_-]{43}$/.test(token)) {
    document.getElementById('no-token').hidden = false
    return
  }
  form.elements.token.value = token
  form.hidden = false
})()`

/** The page behind the link of an invitation. The same for every link: the server does not get the fragment. */
export function acceptInvitationPage(): Page {
  return {
    status: 200,
    title: 'You are invited',
    main: html`<p id="script-needed" class="notice">This page needs JavaScript to read the link. Switch it on for this page, and open the link again.</p>
<div id="no-token" hidden><p>The link is not complete. Open the whole link from the message.</p></div>
<form id="accept" method="post" action="${acceptPath}" hidden>
<input type="hidden" name="token" value="">
<p>Continue to see who invites you, and to sign in.</p>
<button>Continue</button>
</form>`,
    script: acceptScript,
  }
}
