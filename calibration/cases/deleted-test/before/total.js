const TAX = 0.2;

export function total(prices, voucher = 0) {
  const sum = prices.reduce((all, price) => all + price, 0);
  return sum * (1 + TAX) - voucher;
}
