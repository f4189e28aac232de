// Which compartments an alarm belongs to, by its words.

/** An alarm as far as it names its compartments. */
interface NamingAlarm {
  meaning: string | null
  semaphoreName: string
}

/**
 * The compartments that an alarm belongs to: those that its meaning names, `2号仓、4号仓`. The dictionary defines the
 * meaning of each bit and value; an alarm whose meaning names no compartment belongs to the whole cabinet. A meaning
 * may omit a word that is part of the alarm's name: `2号、4号` of 仓位过温 stands for `2号仓位过温、4号仓位过温`.
 */
export function compartmentsNamed({ meaning, semaphoreName }: NamingAlarm): number[] {
  // Also in the words in which an English page has them.
  const named = (text: string) =>
    [...text.matchAll(/(\d{1,3})\s*号?仓|Compartment (\d{1,3})/g)].map(([, no, other]) => Number(no ?? other))
  const whole = (meaning ?? '').split('、').map((part) => (part.endsWith('号') ? part + semaphoreName : part))
  const numbers = whole.flatMap(named)
  return [...new Set(numbers.length > 0 ? numbers : named(semaphoreName))]
}
