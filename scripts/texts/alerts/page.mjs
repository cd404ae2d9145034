import { parse } from 'yaml'

const columns = 119

/** In place of the templates of Prometheus: the name of a label, and `…` for a value. */
const withoutTemplates = (text) => text.replace(/\{\{ \$labels\.(\w+) \}\}/g, '`$1`').replace(/\{\{[^}]*\}\}/g, '…')

const linked = (text) => text.replace(/\bdocs\/([a-z-]+\.md)/g, '[$1]($1)')

/** Lines of at most 119 characters. */
function wrap(text) {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = `${lines.at(-1)} ${word}`.trimStart()
    if (line.length > columns) lines.push(word)
    else lines[lines.length - 1] = line
  }
  return lines.join('\n')
}

const section = ({ alert, labels, annotations: { summary, impact, check, action } }) => `## ${alert}

${wrap(`**${labels.severity}.** ${withoutTemplates(summary)} **Users notice:** ${linked(impact)}`)}

\`\`\`
${check}
\`\`\`

${wrap(linked(action))}
`

const head = `# Alerts

Each alert with its effect, its check and its action. **page**: a person acts now. **ticket**: a person acts within
the working day. \`node scripts/texts/alerts.mjs\` prints this page from \`observe/prometheus/rules/alerts.yml\`.

The commands need the address of Prometheus, and the directory of checkpoints for one of them:

\`\`\`
export PROMETHEUS_URL=http://127.0.0.1:19090 CHECKPOINTS=/mnt/checkpoints
\`\`\`
`

/** docs/alerts.md, from the text of the rules. */
export function alertsPage(rules) {
  const alerts = parse(rules).groups.flatMap((group) => group.rules)
  return [head, ...alerts.map(section)].join('\n')
}
