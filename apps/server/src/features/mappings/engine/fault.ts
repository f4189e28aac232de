/**
 * Why a value could not be worked out. Returned and not thrown: a device may send such messages without end, and an
 * error with its stack costs more than the message.
 */
export class Fault {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}
