// What a maker's devices answer to commands, and how they are told them, for tests of mappings.

/** Of the mapping's messages. */
export const foreignAnswer = {
  topic: 'acme/{code}/ack',
  target: 'reply' as const,
  fields: {
    commandId: { path: '/seq' },
    outcome: { path: '/rc', table: { 0: 'done' }, otherwise: 'failed' },
  },
}

/** The mapping's commands. */
export const foreignCommands = [
  {
    command: 'action' as const,
    when: 'msg.action == "openDoor"',
    topic: 'acme/{code}/down',
    fields: { slot: { path: '/compartment', offset: -1 }, seq: { sequence: true as const } },
    payload: { cmd: 'open', slot: '{{slot}}', seq: '{{seq}}' },
  },
  {
    command: 'action' as const,
    when: 'msg.action == "restart"',
    topic: 'acme/{code}/down',
    payload: { cmd: 'reboot' },
    isDoneWhenDelivered: true,
  },
]
