/** node scripts/texts/alerts.mjs: prints docs/alerts.md from the alert rules. A test fails while it is out of date. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../bootstrap.mjs'
import { alertsPage } from './alerts/page.mjs'

const rules = readFileSync(join(root, 'observe/prometheus/rules/alerts.yml'), 'utf8')
writeFileSync(join(root, 'docs/alerts.md'), alertsPage(rules))
