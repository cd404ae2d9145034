/**
 * npm run sbom [-- FILE]: writes the software bill of materials of all images, as CycloneDX 1.6, and validates it
 * against the schema. Default file: .data/sbom.cdx.json.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { bootstrap, pnpm, root, run } from '../bootstrap.mjs'

/** The packages that the Dockerfile deploys; devkit runs the migrations. */
const deployed = ['./gateway', './services/*', './packages/payctl', './packages/devkit']
const timeoutMs = 300_000

await run(async () => {
  await bootstrap({ only: 'packages/contracts' })
  const { Spec, Validation } = await import('@cyclonedx/cyclonedx-library')
  const file = resolve(process.argv[2] ?? join(root, '.data', 'sbom.cdx.json'))
  mkdirSync(dirname(file), { recursive: true })
  const filters = deployed.map((folder) => `--filter=${folder}`)
  const format = ['--sbom-format', 'cyclonedx', '--sbom-spec-version', '1.6', '--sbom-type', 'application']
  const [command, args] = pnpm(...filters, 'sbom', '--prod', ...format, '--out', file)
  execFileSync(command, args, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'], timeout: timeoutMs })
  const text = readFileSync(file, 'utf8')
  const invalid = await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text)
  if (invalid !== null)
    throw new Error(`${file} is not valid CycloneDX 1.6: ${JSON.stringify(invalid).slice(0, 2_000)}`)
  console.log(`${file}: ${JSON.parse(text).components.length} components`)
  return 0
})
