import { QRCodeSVG } from '@rc-component/qrcode'

const side = 176
/** Modules of empty space around the code, without which some readers do not find it. */
const quietZone = 4

/** A text as a QR code: dark on light in either theme, since not every reader takes the other. */
export default function QrCode({ text, title }: { text: string; title: string }) {
  return <QRCodeSVG value={text} size={side} level="M" marginSize={quietZone} role="img" title={title} />
}
