import { hash } from 'node:crypto'
import type { Person } from './people.ts'

const style = `:root{color-scheme:light dark;font:100%/1.5 system-ui,sans-serif}
body{margin:0;min-height:100vh;display:grid;place-items:center;background:light-dark(#f2f4f7,#0e1116);color:light-dark(#171b22,#e8ebf0)}
main{box-sizing:border-box;width:min(24rem,100%);padding:1.5rem}
h1{font-size:1.25rem;margin:0 0 .25rem}
p{margin:0 0 1rem}
form{display:grid;gap:.75rem}
button{font:inherit;text-align:start;padding:.75rem 1rem;border:1px solid light-dark(#68727f,#8d97a5);border-radius:.5rem;background:light-dark(#fff,#171b22);color:inherit;cursor:pointer}
button span{display:block;color:light-dark(#4b5563,#a8b1bf)}
label{display:grid;gap:.25rem;margin-top:.5rem}
input{box-sizing:border-box;width:100%;font:inherit;padding:.75rem 1rem;border:1px solid light-dark(#68727f,#8d97a5);border-radius:.5rem;background:light-dark(#fff,#171b22);color:inherit}
:is(button,input):focus-visible{outline:3px solid light-dark(#2f4bd8,#8fa2ff);outline-offset:2px}`

export interface PersonPage {
  readonly people: readonly Person[]
  /** The email address of the person who is expected. */
  readonly loginHint: string | undefined
  /** Where the form leads to in the end: a policy applies to the redirects of a form, too. */
  readonly consoleOrigin: string
}

/** The page on which a developer chooses a person. It needs no script. */
export function personPage({ people, loginHint = '', consoleOrigin }: PersonPage): { html: string; policy: string } {
  const other = people.some(({ email }) => email === loginHint) ? '' : loginHint
  const buttons = people.map(
    ({ id, name, email }) =>
      `<button name="person" value="${escape(id)}"${email === loginHint ? ' autofocus' : ''}>${escape(name)}<span>${escape(email)}</span></button>`,
  )
  const document = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Development sign-in</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Development sign-in</h1>
<p>Sign in as one of these people. No password is needed on this machine.</p>
<form method="post">
${buttons.join('\n')}
<button name="person" value="">Cancel</button>
</form>
<form method="post">
<label>Another email address
<input name="person" type="email" autocomplete="off" required value="${escape(other)}"${other === '' ? '' : ' autofocus'}></label>
<button>Sign in</button>
</form>
</main>
</body>
</html>
`
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    `form-action 'self' ${consoleOrigin}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  return { html: document, policy }
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escape = (text: string) => text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? '')
