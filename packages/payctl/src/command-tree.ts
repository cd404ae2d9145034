import type { Command, Option } from 'commander'

export interface CommandNode {
  /** The words after `payctl`. Empty for payctl itself. */
  readonly path: string
  readonly command: Command
  /** Those of the help. */
  readonly options: readonly Option[]
}

/** The command and every command below, parents first. */
export function listCommands(command: Command, path = ''): CommandNode[] {
  const options = command.createHelp().visibleOptions(command)
  const below = command.commands.flatMap((one) => listCommands(one, `${path} ${one.name()}`.trim()))
  return [{ path, command, options }, ...below]
}
