import { hash } from 'node:crypto'
import { type Html, html, verbatim } from '@payments/chassis/base/html'
import { readForm } from '@payments/chassis/request/form'
import type { PageReply, PageStatus, RawBody } from '@payments/contracts/grammar/contract'
import type { Environment } from '@payments/contracts/grammar/key-value'
import { buildStyle } from './style.ts'

export interface Page {
  readonly status: PageStatus
  readonly title: string
  /** Below the title. */
  readonly main: Html
  /** Only the page that reads the fragment of a link has one. */
  readonly script?: string
}

const environmentNames: Readonly<Record<Environment, string>> = {
  dev: 'DEV – development environment',
  qa: 'QA – test environment',
  prod: 'PROD – production environment',
}

/**
 * A page and its Content-Security-Policy, which permits its own style and script by their hashes, forms to this origin,
 * and nothing else.
 */
export function renderPage(environment: Environment, { status, title, main, script }: Page): PageReply {
  const style = buildStyle(environment)
  const document = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="robots" content="noindex, nofollow">
<title>${title} – Payment Service</title>
<style>${verbatim(style)}</style>
</head>
<body>
<header class="band">${environmentNames[environment]}</header>
<main>
<p class="product">Payment Service</p>
<h1>${title}</h1>
${main}
</main>
${script === undefined ? null : html`<script>${verbatim(script)}</script>`}
</body>
</html>
`
  return { status, html: document.text, policy: buildPolicy(style, script) }
}

/** A reply without a page, which leads the browser to another one. */
export const redirect = (location: string): PageReply => ({
  status: 303,
  html: '',
  policy: "default-src 'none'; frame-ancestors 'none'",
  location,
})

const buildPolicy = (style: string, script: string | undefined) =>
  [
    "default-src 'none'",
    `style-src ${hashSource(style)}`,
    `script-src ${script === undefined ? "'none'" : hashSource(script)}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const hashSource = (text: string) => `'sha256-${hash('sha256', text, 'base64')}'`

/** A field that the form of a page has once. Undefined for a body that is no form. Other fields are ignored. */
export function readField(name: string, body: RawBody): string | undefined {
  const [value, ...others] = readForm(body)?.filter(([own]) => own === name) ?? []
  return others.length === 0 ? value?.[1] : undefined
}
