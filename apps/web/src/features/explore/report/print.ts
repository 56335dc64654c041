/** Prints a page that is not on the screen; the browser's dialog can save it as a PDF. */
export function printPage(html: string): void {
  const frame = document.createElement('iframe')
  frame.title = 'Report to print'
  frame.style.cssText = 'position:fixed;width:0;height:0;border:0;visibility:hidden'
  frame.srcdoc = html
  frame.onload = () => {
    const shown = frame.contentWindow
    if (!shown) return
    shown.onafterprint = () => frame.remove()
    shown.print()
  }
  document.body.append(frame)
}
