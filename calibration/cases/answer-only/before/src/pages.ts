export const health = () => new Response("ok");
export const login = () => new Response(null, { status: 204 });
export const invoices = () => Response.json([]);
export const invoice = () => Response.json({});
export const payment = () => new Response(null, { status: 202 });
export const addUser = () => new Response(null, { status: 201 });
