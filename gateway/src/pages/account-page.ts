import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type StaticPage, staticPage } from './static-page.ts'

/**
 * The account page: a static shell without any data. Its script calls the API with the session cookie. The headers let
 * the shell load from this origin only, and let no other site open, frame or read the shell.
 */
export const accountPath = '/console'

const shell = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Payment Service</title>
<link rel="icon" href="/console/icon.svg"><link rel="stylesheet" href="/console/console.css">
<script src="/console/console.js" defer></script>
</head>
<body>
<header><strong>Payment Service</strong><span id="environment"></span></header>
<main hidden>
<h1>Account</h1>
<p id="status" role="status"></p>
<div id="self"></div>
<section id="people" aria-labelledby="people-heading" hidden>
<h2 id="people-heading">People</h2>
<div class="list"></div>
<form>
<label>Email address<input name="email" type="email" required maxlength="320" autocomplete="off"></label>
<label>Role<select name="role" required></select></label>
<button>Invite</button>
</form>
</section>
<section aria-labelledby="sessions-heading">
<h2 id="sessions-heading">Your sessions</h2>
<div id="sessions"></div>
</section>
</main>
<noscript><p>This page needs JavaScript.</p></noscript>
</body>
</html>
`

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "frame-src 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const headers = {
  'Content-Security-Policy': policy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
}

const directory = join(import.meta.dirname, '..', '..', 'assets')

const assets: Readonly<Record<string, string>> = {
  'console.css': 'text/css; charset=utf-8',
  'console.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
}

/** The shell and its assets, by path. */
export function accountPages(): readonly (readonly [string, StaticPage])[] {
  return [
    [accountPath, staticPage(shell, { type: 'text/html; charset=utf-8', headers })],
    ...Object.entries(assets).map(
      ([name, type]) =>
        [`${accountPath}/${name}`, staticPage(readFileSync(join(directory, name)), { type, headers })] as const,
    ),
  ]
}
