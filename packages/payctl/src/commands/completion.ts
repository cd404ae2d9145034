import { Argument, type Command } from 'commander'
import { bashCompletion } from '../completion/bash.ts'
import { fishCompletion } from '../completion/fish.ts'
import { zshCompletion } from '../completion/zsh.ts'

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion } as const
type Shell = keyof typeof scripts

/** `completion`: needs no configuration, and calls no service. */
export function completionCommand(program: Command): void {
  program
    .command('completion')
    .description('print a completion script for a shell')
    .addArgument(new Argument('<shell>', 'the shell that loads the script').choices(Object.keys(scripts)))
    .action((shell: Shell) => {
      process.stdout.write(scripts[shell](program))
    })
}
