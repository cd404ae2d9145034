import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { html } from '@payments/chassis/base/html'
import type { EncodeProblem } from '@payments/chassis/request/problem-response'
import { documentationFolder } from './built-files.ts'

/** A problem as a page for a reader in a browser, at a path that no endpoint has. */
export function errorPage(): EncodeProblem {
  const template = readFileSync(join(documentationFolder, 'error-page.html'), 'utf8')
  return ({ status, code, title, options }, traceId) => {
    const values: Readonly<Record<string, string | number>> = {
      status,
      code,
      title,
      detail: options.detail ?? title,
      traceId,
    }
    return {
      headers: { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' },
      body: template.replaceAll(/\{(\w+)\}/g, (_, name: string) => html`${values[name] ?? ''}`.text),
    }
  }
}
