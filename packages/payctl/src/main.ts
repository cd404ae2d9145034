import { payctl } from './payctl.ts'

process.exit(await payctl(process.argv.slice(2)))
